import KeyplanCloudKit
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Carries out changes: reads the records again, and changes only those that have not changed since.
struct CloudKitWrite {
  /// A change of one record.
  struct Operation: Sendable {
    let name: String
    let recordName: String
    /// The change tag that the record must have; nil to create it.
    let tag: String?
    /// Nil to delete the record.
    let value: SecretBox?
  }

  let client: CloudKitClient
  private let changes: TargetChanges
  private let seen: [String: String?]
  var results: [String: WriteResult] = [:]
  /// The reason that no more requests are sent.
  var end: AccessFailure?

  /// - Parameter seen: the change tags when the changes were decided, by name: nil for a record that was not there. A
  ///   name that was not looked at is not in it.
  init(_ client: CloudKitClient, _ changes: TargetChanges, seen: [String: String?]) {
    self.client = client
    self.changes = changes
    self.seen = seen
  }

  /// - Throws: the reason that nothing was written at all.
  func results() async throws(RemoteFailure) -> [String: WriteResult] {
    guard try await client.credential().canWrite else {
      throw RemoteFailure(.denied, CloudKitMessages.tokenReads, hint: CloudKitMessages.tokenReadsHint)
    }
    let schema = try CloudKitSchema(client.context)
    var write = self
    let valid = write.validChanges()
    guard !valid.isEmpty else { return write.results }
    let entries = try await client.entries(valid.map(\.name))
    let operations = write.operations(valid, entries, schema)
    await write.send(operations, schema)
    await write.verify(operations)
    return write.results
  }

  /// The changes that a record can take; a removal has no value.
  private mutating func validChanges() -> [(name: String, value: SecretBox?)] {
    var valid: [(name: String, value: SecretBox?)] = []
    for (name, value) in changes.set {
      let isName = CloudKitBackend.names.fault(in: name) == nil
      if let reason = isName ? Self.refusal(of: value) : RemoteMessages.invalidName {
        results[name] = .refused(AccessFailure(.unreadable, reason))
      } else {
        valid.append((name, value))
      }
    }
    for name in changes.remove {
      // A name that a record cannot have is not there.
      if CloudKitBackend.names.fault(in: name) == nil { valid.append((name, nil)) } else { results[name] = .done() }
    }
    return valid
  }

  private static func refusal(of value: SecretBox) -> String? {
    let limit = CloudKitBackend.valueLimit
    guard value.count <= limit else { return RemoteMessages.valueSize(least: 0, most: limit) }
    return value.withBytes { bytes in
      if ValueFault(in: bytes) == .holdsNUL { return ValueFault.holdsNUL.sentence }
      return invalidUTF8(in: bytes) == nil ? nil : RemoteMessages.reason(.notText)
    }
  }

  private mutating func operations(
    _ changes: [(name: String, value: SecretBox?)], _ entries: [String: CloudKitEntry], _ schema: CloudKitSchema
  ) -> [Operation] {
    var operations: [Operation] = []
    for (name, value) in changes {
      var record: CloudKitRecord?
      switch entries[name] {
      case nil: break
      case .record(let found): record = found
      case .several:
        results[name] = .refused(.several(schema))
        continue
      case .failed(let failure):
        results[name] = .refused(failure.asAccess)
        continue
      }
      if !isExpected(name, record?.tag) {
        results[name] = .stale
      } else if value == nil, record == nil {
        results[name] = .done()
      } else {
        let recordName = record?.recordName ?? CloudKitRecord.recordName(of: name, schema)
        operations.append(Operation(name: name, recordName: recordName, tag: record?.tag, value: value))
      }
    }
    return operations
  }

  /// Whether a record is as it was when the change was decided.
  private func isExpected(_ name: String, _ tag: String?) -> Bool {
    if let seen = seen[name], seen != tag { return false }
    guard let expected = changes.expected else { return true }
    guard let mark = expected[name] else { return tag == nil }
    return tag != nil && (mark == nil || mark?.text == tag)
  }

  /// Checks whether changes whose answers were lost have arrived.
  private mutating func verify(_ operations: [Operation]) async {
    let open = operations.filter { if case .unknown = results[$0.name] { true } else { false } }
    guard !open.isEmpty, let entries = try? await client.entries(open.map(\.name)) else { return }
    for operation in open {
      switch (operation.value, entries[operation.name]) {
      case (nil, nil): results[operation.name] = .done()
      case (let wanted?, .record(let record)):
        if case .text(let value) = record.value, value.equals(wanted) {
          results[operation.name] = .done(mark: Mark(record.tag))
        }
      default: break
      }
    }
  }
}
