import KeyplanCloudKit
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices
import Synchronization

/// The records of one type as a target: each name is a record.
final class CloudKitTarget: SecretTarget {
  private let client: CloudKitClient
  /// The change tags that were last seen, by name; nil for a record that was not there.
  private let seen = Mutex<[String: String?]>([:])

  init(_ client: CloudKitClient) { self.client = client }

  var backend: BackendDescription { client.context.backend }
  var connection: Connection? { client.context.connection }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      var sight = TargetSight(.values([:]))
      // A name that a record cannot have is not there.
      let names = question.names.filter { CloudKitBackend.names.fault(in: $0) == nil }.sorted()
      if !names.isEmpty {
        let entries = try await client.entries(names)
        sight.answer = try values(names, entries)
      }
      if let intent = question.intent { sight.writeBlockers = writeBlockers(intent) }
      return sight
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let seen = seen.withLock { seen in
      var taken: [String: String?] = [:]
      for name in changes.names {
        if let tag = seen.removeValue(forKey: name) { taken.updateValue(tag, forKey: name) }
      }
      return taken
    }
    do throws(RemoteFailure) {
      return try await CloudKitWrite(client, changes, seen: seen).results()
    } catch {
      throw error.asAccess
    }
  }

  private func values(
    _ names: [String], _ entries: [String: CloudKitEntry]
  ) throws(RemoteFailure) -> TargetAnswer {
    let schema = try CloudKitSchema(client.context)
    var values: [String: TargetValue] = [:]
    var tags: [String: String?] = [:]
    var failures: [String: AccessFailure] = [:]
    for name in names {
      switch entries[name] {
      case nil: tags.updateValue(nil, forKey: name)
      case .several: failures[name] = .several(schema)
      case .failed(let failure): failures[name] = failure.asAccess
      case .record(let record):
        tags.updateValue(record.tag, forKey: name)
        values[name] = .other
        if case .text(let value) = record.value, value.withBytes({ ValueFault(in: $0) }) != .holdsNUL {
          values[name] = .text(value)
        }
      }
    }
    seen.withLock { seen in seen.merge(tags) { _, new in new } }
    return TargetAnswer(values, failures: failures, of: names)
  }

  private func writeBlockers(_ intent: TargetQuestion.Intent) -> WriteBlockers {
    var blockers = WriteBlockers()
    if client.context.connection.declared.contains("apiToken") {
      blockers.place = WriteBlocker(reason: CloudKitMessages.tokenReads, hint: CloudKitMessages.tokenReadsHint)
    }
    for name in intent.setting where CloudKitBackend.names.fault(in: name) != nil {
      blockers.setting[name] = WriteBlocker(reason: RemoteMessages.invalidName)
    }
    return blockers
  }
}
