import CServices
import KeyplanYAML

/// The services that keyplan has a description of. Nothing is read before one of them is asked for.
package enum BuiltInServices {
  /// The names, sorted.
  package static var names: [String] { table.map(\.name) }

  /// The description of a service; nil for a name without one.
  /// - Throws: the errors in it, which tests rule out.
  package static func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? {
    guard let found = table.first(where: { $0.name == name }) else { return nil }
    return try SecretAPI.read(found.bytes, name: name)
  }

  private static var table: [EmbeddedDescription] {
    (0...).prefixMap { keyplan_service_at($0)?.pointee }.map { EmbeddedDescription($0) }
  }
}

/// The providers whose keys can be checked without a description in the manifest.
package enum BuiltInProviders {
  /// The names, sorted.
  package static var names: [String] { BuiltInProvider.all.filter(\.hasCheck).map(\.description.name) }

  /// The check of a provider's keys; nil for a name without a description.
  /// - Throws: the errors in it, which tests rule out.
  package static func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? {
    guard let found = BuiltInProvider.all.first(where: { $0.hasCheck && $0.description.name == name }),
      let node = found.description.field("check")
    else { return nil }
    // Some are names of another company's product: the keys are checked as the other's.
    if case .scalar(let other) = node.content { return try api(other.text) }
    return try SecretAPI.read(node, name: name)
  }

  /// The documents that formats and prefixes of keys come from, by provider.
  package static var formatSources: [Named<String>] {
    BuiltInProvider.all.map(\.description).compactMap { provider in
      guard case .scalar(let source)? = provider.field("formatSource")?.content else { return nil }
      return Named(provider.name, source.text)
    }
  }
}

/// The providers whose keys keyplan can make or revoke, or whose description says where a person does it.
package enum BuiltInIssuers {
  /// The names, sorted.
  package static var names: [String] { BuiltInProvider.all.filter(\.hasKeys).map(\.description.name) }

  /// The description of a provider's keys; nil for a name without one.
  /// - Throws: the errors in it, which tests rule out.
  package static func api(_ name: String) throws(DescriptionFaults) -> SecretAPI? {
    guard let found = BuiltInProvider.all.first(where: { $0.hasKeys && $0.description.name == name }),
      let node = found.description.field("keys")
    else { return nil }
    return try SecretAPI.read(node, name: name)
  }

  /// The names of their connections' types, sorted: a provider can also be a service of the same name.
  package static var backendNames: [String] { names.map { $0 + suffix } }

  /// The description under the name of the connections' type.
  package static func backend(_ name: String) throws(DescriptionFaults) -> SecretAPI? {
    guard name.hasSuffix(suffix), var api = try api(String(name.dropLast(suffix.utf8.count))) else { return nil }
    api.name = name
    return api
  }

  private static let suffix = "-keys"
}

/// A row of the table of providers.
private struct BuiltInProvider {
  let description: EmbeddedDescription
  let hasCheck: Bool
  let hasKeys: Bool

  static var all: [BuiltInProvider] {
    (0...).prefixMap { keyplan_provider_at($0)?.pointee }.map {
      BuiltInProvider(
        description: EmbeddedDescription($0.description), hasCheck: $0.has_check != 0, hasKeys: $0.has_keys != 0)
    }
  }
}

/// A YAML document in the program.
private struct EmbeddedDescription {
  let name: String
  private let content: UnsafeBufferPointer<UInt8>

  init(_ service: keyplan_service) {
    name = String(cString: service.name)
    content = UnsafeBufferPointer(start: service.bytes, count: service.size)
  }

  var bytes: [UInt8] { Array(content) }

  /// A field of the outermost mapping.
  func field(_ name: String) -> Node? {
    guard let root = try? Node.parse(bytes), case .mapping(let entries) = root.content else { return nil }
    return entries.first { entry in
      if case .scalar(let key) = entry.key.content { key.text == name } else { false }
    }?.value
  }
}

extension Sequence {
  /// The results up to the first nil.
  fileprivate func prefixMap<Result>(_ transform: (Element) -> Result?) -> [Result] {
    var results: [Result] = []
    for element in self {
      guard let result = transform(element) else { break }
      results.append(result)
    }
    return results
  }
}
