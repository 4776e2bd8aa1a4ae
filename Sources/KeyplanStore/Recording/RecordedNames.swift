import KeyplanCore

/// Earlier versions recorded nested names in other notations: in a property list `/` separated keys, and in JSON and
/// YAML a name that did not begin with `/` could contain it. They are read as the names that now mean the same values,
/// and written so with the next change of their record.
extension StoredTarget {
  mutating func readEarlierNames() {
    let type = record.destination.type
    guard RecordedName.isNested(type) else { return }
    for name in record.entries.keys.sorted() {
      let current = RecordedName.current(name, type)
      guard current != name, let entry = record.entries.removeValue(forKey: name) else { continue }
      record.entries[current] = entry
      let part = UnknownFields.Part(field: Self.entryField, identity: Array(name.utf8))
      if let fields = unknown.parts.removeValue(forKey: part) {
        unknown.parts[UnknownFields.Part(field: Self.entryField, identity: Array(current.utf8))] = fields
      }
    }
  }

  /// The field of a target's record that contains an entry.
  static var entryField: UInt64 { 6 }
}

extension WriteAttempt {
  mutating func readEarlierNames() {
    guard RecordedName.isNested(destination.type) else { return }
    for name in names.keys.sorted() {
      let current = RecordedName.current(name, destination.type)
      if current != name { names[current] = names.removeValue(forKey: name) }
    }
  }
}

private enum RecordedName {
  static func isNested(_ type: String) -> Bool { type == "plist" || type == "json" || type == "yaml" }

  static func current(_ name: String, _ type: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "/")) else { return name }
    do throws(NestedName.Fault) {
      return try NestedName(name).text
    } catch {
      guard error == .slash else { return name }
      return type == "plist" ? NestedName.separatedKeys(name).text : NestedName(parts: [name]).text
    }
  }
}
