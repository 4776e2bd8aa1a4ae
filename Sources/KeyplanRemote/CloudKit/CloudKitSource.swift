import KeyplanCloudKit
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// The values of records: `NAME://RECORD`.
struct CloudKitSource: SecretSource {
  private let client: CloudKitClient

  init(_ client: CloudKitClient) { self.client = client }

  var backend: BackendDescription { client.context.backend }
  var connection: Connection? { client.context.connection }

  func read(_ references: [Reference]) async -> [SourceAnswer] {
    let names = Set(references.map(\.location)).filter { CloudKitBackend.names.fault(in: $0) == nil }
    do throws(RemoteFailure) {
      let entries = names.isEmpty ? [:] : try await client.entries(names.sorted())
      let schema = try CloudKitSchema(client.context)
      return references.map { reference in
        guard reference.selector == nil else { return .unreadable(RemoteMessages.noPlace) }
        guard names.contains(reference.location) else { return .unreadable(RemoteMessages.invalidName) }
        return Self.answer(entries[reference.location], schema)
      }
    } catch {
      return references.map { _ in .failed(error.asAccess) }
    }
  }

  private static func answer(_ entry: CloudKitEntry?, _ schema: CloudKitSchema) -> SourceAnswer {
    switch entry {
    case nil: return .missing()
    case .several: return .failed(.several(schema))
    case .failed(let failure): return .failed(failure.asAccess)
    case .record(let record):
      switch record.value {
      case .none: return .unreadable(CloudKitMessages.noValue(schema))
      case .other: return .unreadable(CloudKitMessages.notText(schema))
      case .text(let value):
        return value.withBytes { ValueFault(in: $0) }.map { .unreadable($0.sentence) } ?? .value(value)
      }
    }
  }
}

extension AccessFailure {
  /// Several records have the same name.
  static func several(_ schema: CloudKitSchema) -> AccessFailure {
    AccessFailure(.unreadable, CloudKitMessages.several(schema), hint: CloudKitMessages.severalHint)
  }
}
