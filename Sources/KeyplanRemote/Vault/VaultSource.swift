import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Fields of secrets: `NAME://MOUNT/PATH#FIELD`.
struct VaultSource: SecretSource {
  private let client: VaultClient

  init(_ client: VaultClient) { self.client = client }

  var backend: BackendDescription { client.context.backend }
  var connection: Connection? { client.context.connection }

  /// Reads each secret once, however many of its fields are named: there is no request for several secrets.
  func read(_ references: [Reference]) async -> [SourceAnswer] {
    let addresses = references.map { VaultAddress(location: $0.location, selector: $0.selector) }
    let names = Set(addresses.compactMap { $0?.secret })
    guard !names.isEmpty else { return references.map { _ in .unreadable(RemoteMessages.noPlace) } }
    let failures = await client.findMounts(of: names.map(\.path))
    let secrets = await withTaskGroup(of: (VaultSecretName, Result<VaultSecret, RemoteFailure>).self) { group in
      for name in names {
        let failure = failures[name.path.segments[0]]
        group.addTask {
          do throws(RemoteFailure) {
            if let failure { throw failure }
            return (name, .success(try await client.read(name)))
          } catch {
            return (name, .failure(error))
          }
        }
      }
      var secrets: [VaultSecretName: Result<VaultSecret, RemoteFailure>] = [:]
      for await (name, secret) in group { secrets[name] = secret }
      return secrets
    }
    return addresses.map { address in
      guard let address else { return .unreadable(RemoteMessages.noPlace) }
      switch secrets[address.secret] {
      case .success(let secret): return Self.answer(address.field, in: secret)
      case .failure(let failure): return .failed(failure.asAccess)
      case nil: return .unreadable(RemoteMessages.notAnswered)
      }
    }
  }

  private static func answer(_ field: String?, in secret: VaultSecret) -> SourceAnswer {
    guard let fields = secret.fields else { return .missing(reason: secret.absence) }
    if field == nil, fields.members.count > 1 {
      return .failed(
        AccessFailure(
          .unreadable, VaultMessages.severalFields(fields.members.count), hint: VaultMessages.severalFieldsHint))
    }
    guard let name = field ?? fields.members.first?.name else { return .missing() }
    guard let node = fields[name] else { return .missing(reason: VaultMessages.noField(name)) }
    guard let value = fields.json.scalar(node) else { return .unreadable(RemoteMessages.notText) }
    if let fault = value.withBytes({ ValueFault(in: $0) }) { return .unreadable(fault.sentence) }
    return .value(value)
  }
}
