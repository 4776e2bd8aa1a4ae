import CServices

/// The services that keyplan has a description of. Nothing is read before one of them is asked for.
package enum BuiltInServices {
  /// The names, sorted.
  package static var names: [String] { entries.map(\.name) }

  /// The description of a service; nil if there is none with this name.
  /// - Throws: what is wrong with it, which tests rule out.
  package static func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? {
    guard let entry = entries.first(where: { $0.name == name }) else { return nil }
    return try SecretAPI.read(Array(entry.bytes), name: name)
  }

  private static var entries: [(name: String, bytes: UnsafeBufferPointer<UInt8>)] {
    var entries: [(String, UnsafeBufferPointer<UInt8>)] = []
    while let entry = keyplan_service(entries.count)?.pointee {
      entries.append((String(cString: entry.name), UnsafeBufferPointer(start: entry.bytes, count: entry.size)))
    }
    return entries
  }
}
