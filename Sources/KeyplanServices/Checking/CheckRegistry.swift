package import KeyplanModel
package import KeyplanYAML
import Synchronization

/// The checks of keys that one manifest can use: the built-in ones, and those that it describes or addresses itself.
package final class CheckRegistry: Sendable {
  private let declared = Mutex<[String: Declared]>([:])

  private struct Declared {
    let api: SecretAPI
    /// Nil where the description has it.
    let address: String?
  }

  package init() {}

  /// Reads the declaration of a provider's check in a manifest.
  /// - Parameter check: the description of the request; nil for the built-in one at another address.
  package func declare(
    _ name: String, at address: String?, _ check: Node?
  ) throws(DescriptionFaults) -> DeclaredCheck {
    let own: Declared
    var isPreview = false
    if let check {
      own = Declared(api: try SecretAPI.read(check: check, of: name, at: address), address: nil)
    } else {
      guard let api = try BuiltInProviders.api(name) else { throw Self.fault(.noBuiltInCheck) }
      own = Declared(api: api, address: address)
      isPreview = api.isPreview
    }
    let hosts: [String]
    do throws(CheckAnswer) {
      hosts = try CheckRequests(own.api, at: own.address)?.hosts ?? []
    } catch {
      throw Self.fault(.malformed(error.reason))
    }
    declared.withLock { $0[name] = own }
    return DeclaredCheck(
      address: address, digest: check.map { DescriptionDigest.text(of: $0, as: "check") },
      hosts: Set(hosts).sorted().map { ExternalAccess(.host, $0) }, isPreview: isPreview)
  }

  /// The check of a provider's keys; nil if there is none. Nothing is sent.
  /// - Throws: `CheckAnswer` if the check needs an address that is not declared.
  package func checker(
    of name: String, through transport: RemoteTransport
  ) throws(CheckAnswer) -> KeyChecker? {
    let own = declared.withLock { $0[name] }
    guard let api = own?.api ?? (try? BuiltInProviders.api(name)) else { return nil }
    return try KeyChecker(api, at: own?.address, through: transport)
  }

  /// Whether there is a check of a provider's keys, with an address.
  package func hasCheck(of name: String) -> Bool {
    let own = declared.withLock { $0[name] }
    guard let api = own?.api ?? (try? BuiltInProviders.api(name)) else { return false }
    return ((try? CheckRequests(api, at: own?.address)) ?? nil) != nil
  }

  /// Whether the check of a provider's keys was judged in full by neither the provider nor its own client.
  package func isPreview(_ name: String) -> Bool {
    let own = declared.withLock { $0[name] }
    return (own?.api ?? (try? BuiltInProviders.api(name)))?.isPreview ?? false
  }

  private static func fault(_ kind: DescriptionFault.Kind) -> DescriptionFaults {
    DescriptionFaults(all: [DescriptionFault(kind: kind, path: "", line: 1, column: 1)])
  }
}

extension SecretAPI {
  /// Reads the check of a provider in a manifest: it has an address and no credential but the key.
  fileprivate static func read(
    check node: Node, of name: String, at address: String?
  ) throws(DescriptionFaults) -> SecretAPI {
    var field = Field("address", .url)
    field.initial = address
    field.isRequired = true
    var api = SecretAPI(name: name)
    api.connection = [field]
    api.base = Template(variable: field.name)
    var reader = DescriptionReader()
    reader.variables.fields = [field.name: .url]
    api.check = reader.keyCheck(Written(node: node, path: ""), TemplateScope(names: [field.name]))
    guard reader.faults.isEmpty else { throw DescriptionFaults(all: reader.faults) }
    return api
  }
}
