import KeyplanModel

/// The canonical form of a manifest.
extension ManifestReader {
  /// The sections, in the order of the documentation.
  package static var sections: [String] { Shape.manifest.fields }

  /// The order of the fields in the mapping at a path, or nil if its names and their order are up to the user.
  package func canonicalOrder(at path: [String]) -> [String]? {
    switch (path.first, path.count) {
    case (nil, _): Self.sections
    case ("store", 1): Shape.store.fields
    case ("recipients", 2): Shape.recipient.fields
    case ("connections", 2): backends.anyConnection
    case ("connections", 4): backends.methodFields(connectionField: path[2], method: path[3])
    case ("providers", 2): Shape.provider.fields
    case ("providers", 3) where path[2] == "check": Shape.check.fields
    case ("policies", 2): Shape.policy.fields
    case ("exposed", 1): Shape.exposed.fields
    case ("verify", 1): Shape.verify.fields
    case ("keys", 2): Shape.key.fields
    case ("keys", 3) where path[2] == "expires": Shape.policy.fields
    case ("keys", 3) where path[2] == "cache": Shape.cache.fields
    case ("keys", 4) where path[2] == "source" && path[3] == "generate": Shape.generator.fields
    case ("keys", 3) where path[2] == "parts": nil
    case ("active", 2): Shape.slot.fields
    case ("calendars", 2): Shape.calendar.fields
    case ("calendars", 3) where path[2] == "client": Shape.client.fields
    case ("calendars", 3) where path[2] == "expires": Shape.policy.fields
    case ("calendars", 3) where path[2] == "endpoints": Shape.endpoints.fields
    case ("targets", 2): backends.anyTarget
    case ("targets", 3) where path[2] == "after": Shape.hook.fields
    case ("targets", 4) where path[2] == "keys": Shape.entry.fields
    case ("rules", 2): Shape.rule.fields
    case ("migrations", 2): Shape.migration.fields
    default: isReference(path) ? Shape.command.fields + Shape.reference.fields + Shape.mint.fields : nil
    }
  }

  /// Whether the value at a path is a reference, either as text or as a mapping.
  private func isReference(_ path: [String]) -> Bool {
    switch (path.first, path.count) {
    case ("keys", 3), ("keys", 4): path[2] == "source"
    case ("store", 2): path[1] == "password"
    case ("connections", 3): backends.takesReference(connectionField: path[2])
    case ("connections", 5): backends.takesReference(connectionField: path[2...].joined(separator: "."))
    case ("calendars", 3): RawCalendar.secrets.contains(path[2])
    case ("calendars", 4): path[2] == "client" && path[3] == "secret"
    case ("targets", 3): backends.takesReference(targetField: path[2])
    case ("migrations", 3): path[2] == "adopt"
    default: false
    }
  }

  /// The reference at a path in the form that is recorded: without `.` and `..`, and without unnecessary escapes. Nil if there is no
  /// reference, or one that is canonical already.
  package func canonicalReference(_ text: String, at path: [String]) -> String? {
    guard isReference(path), let reference = reference(text), reference.description != text,
      self.reference(reference.description) == reference
    else { return nil }
    return reference.description
  }

  /// The path of a target's file without `.` and `..`; nil for anything else, and for one that is canonical already.
  /// - Parameter targetTypes: the type of each target, which may be written in another file.
  package func canonicalPath(_ text: String, at path: [String], targetTypes: [String: String]) -> String? {
    guard path.count == 3, path[0] == "targets", let type = targetTypes[path[1]],
      backends.target(type)?.target?.fields.contains(where: { $0.name == path[2] && $0.kind == .file }) == true,
      let file = RelativePath(text), file.text != text
    else { return nil }
    return file.text
  }

  private func reference(_ text: String) -> Reference? {
    var parser = ManifestParser(reader: self, notes: DiagnosticSink())
    guard
      case .supported(let reference) = parser.reference(
        Located(value: text, place: FileLocation(file: "", line: 1, column: 1)))
    else { return nil }
    return reference
  }
}
