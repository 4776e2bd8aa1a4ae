import CServices

/// The services that keyplan has a description of. Nothing is read before one of them is asked for.
package enum BuiltInServices {
  /// The names, sorted.
  package static var names: [String] { table.names }

  /// The description of a service; nil if there is none with this name.
  /// - Throws: what is wrong with it, which tests rule out.
  package static func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? { try table.api(name) }

  private static var table: EmbeddedDescriptions { EmbeddedDescriptions { keyplan_service($0)?.pointee } }
}

/// The providers whose keys can be checked without a description in the manifest.
package enum BuiltInProviders {
  /// The names, sorted.
  package static var names: [String] { table.names }

  /// The description of a provider; nil if there is none with this name.
  /// - Throws: what is wrong with it, which tests rule out.
  package static func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? { try table.api(name) }

  private static var table: EmbeddedDescriptions { EmbeddedDescriptions { keyplan_provider($0)?.pointee } }
}

/// The providers whose keys keyplan knows how to make or to revoke, or who says where a person does it.
package enum BuiltInIssuers {
  /// The names, sorted.
  package static var names: [String] { table.names }

  /// The description of a provider's keys; nil if there is none with this name.
  /// - Throws: what is wrong with it, which tests rule out.
  package static func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? { try table.api(name) }

  /// The names of their connections' types, sorted: a provider can also be a service of the same name.
  static var backendNames: [String] { names.map { $0 + suffix } }

  /// The description under the name of the connections' type.
  static func backend(_ name: String) throws(DescriptionFaults) -> SecretAPI? {
    guard name.hasSuffix(suffix), var api = try api(String(name.dropLast(suffix.utf8.count))) else { return nil }
    api.name = name
    return api
  }

  private static let suffix = "-keys"
  private static var table: EmbeddedDescriptions { EmbeddedDescriptions { keyplan_issuer($0)?.pointee } }
}

/// A table of descriptions in the program.
private struct EmbeddedDescriptions {
  private var entries: [(name: String, bytes: UnsafeBufferPointer<UInt8>)] = []

  init(_ entry: (Int) -> keyplan_service?) {
    while let entry = entry(entries.count) {
      entries.append((String(cString: entry.name), UnsafeBufferPointer(start: entry.bytes, count: entry.size)))
    }
  }

  var names: [String] { entries.map(\.name) }

  func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? {
    guard let entry = entries.first(where: { $0.name == name }) else { return nil }
    return try SecretAPI.read(Array(entry.bytes), name: name)
  }
}
