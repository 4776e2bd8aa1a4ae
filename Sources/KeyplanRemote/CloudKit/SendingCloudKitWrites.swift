import KeyplanCloudKit
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

extension CloudKitWrite {
  private static let bytesAtOnce = 1 << 20

  /// Sends the operations in requests of a size that the service takes.
  mutating func send(_ operations: [Operation], _ schema: CloudKitSchema) async {
    var rest = operations[...]
    while !rest.isEmpty {
      var bytes = 0
      let batch = rest.prefix(CloudKitBody.recordsAtOnce).prefix { operation in
        bytes += operation.value?.count ?? 0
        return bytes <= Self.bytesAtOnce
      }
      rest = rest.dropFirst(batch.count)
      await sendBatch(Array(batch), schema)
    }
  }

  /// Sends one request, and the records again that the service was too busy for.
  private mutating func sendBatch(_ batch: [Operation], _ schema: CloudKitSchema) async {
    if let end { return record(.refused(end), batch) }
    var open = batch
    var budget = RetryBudget()
    while true {
      let answer: CloudKitAnswer
      do throws(RemoteFailure) {
        answer = try await client.send(.modify, CloudKitBody.modify(open, schema))
      } catch {
        return record(.refused(error.asAccess), open)
      }
      guard let json = answer.json else { return record(answer, open) }
      budget.countTransmission()
      let busy = record(json, open)
      guard let asked = busy.pause, let pause = budget.pause(asked: asked) else { return }
      await client.pause(pause)
      open = busy.operations
    }
  }

  private mutating func record(_ result: WriteResult, _ operations: [Operation]) {
    for operation in operations { results[operation.name] = result }
  }

  /// Records the meaning of an answer without results.
  private mutating func record(_ answer: CloudKitAnswer, _ operations: [Operation]) {
    let failure = client.failure(answer, writing: true).asAccess
    if answer.mayHaveBeenProcessed { return record(.unknown(failure.reason), operations) }
    record(.refused(failure), operations)
    switch failure.kind {
    // Further requests would have the same answer, and make a limit on requests worse.
    case .throttled, .unauthenticated, .denied: end = failure
    case .sealed, .unreachable, .unreadable: break
    }
  }

  /// Records the result of each record. A response with status 200 may contain errors.
  /// - Returns: the operations that the service was too busy for, and when it wants them again; no pause if there are
  ///   none, or they cannot be repeated.
  private mutating func record(
    _ json: JSONAnswer, _ operations: [Operation]
  ) -> (operations: [Operation], pause: Duration?) {
    var nodes: [String: JSONNode] = [:]
    for node in json.elements(json.member("records")) {
      guard let name = json.member("recordName", in: node).flatMap({ json.text($0) }) else { continue }
      nodes[name] = node
    }
    var busy: [Operation] = []
    var pause: Duration?
    for operation in operations {
      guard let node = nodes[operation.recordName] else {
        results[operation.name] = .unknown(CloudKitMessages.notWritten(client.host))
        continue
      }
      guard let fault = CloudKitFault(node, in: json) else {
        let tag = json.member("recordChangeTag", in: node).flatMap { json.text($0) }
        results[operation.name] = .done(mark: operation.value == nil ? nil : tag.map { Mark($0) })
        continue
      }
      results[operation.name] = result(fault, operation)
      if fault.meaning == .throttled, let wanted = fault.pause {
        busy.append(operation)
        pause = max(pause ?? wanted, wanted)
      }
    }
    return (busy, pause)
  }

  private func result(_ fault: CloudKitFault, _ operation: Operation) -> WriteResult {
    let failure = client.failure(fault, writing: true).asAccess
    return switch fault.code {
    case .conflict, .exists: .stale
    case .notFound where operation.value == nil: .done()
    case .notFound where operation.tag != nil: .stale
    case .internalError: .unknown(failure.reason)
    default: .refused(failure)
    }
  }
}
