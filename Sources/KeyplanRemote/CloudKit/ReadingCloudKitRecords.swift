import KeyplanCloudKit
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

extension CloudKitClient {
  /// The entries under these names; a name that is not in the result is not there.
  ///
  /// The index that queries use lags behind. Records that keyplan created are therefore looked up by their record names,
  /// too.
  func entries(_ names: [String]) async throws(RemoteFailure) -> [String: CloudKitEntry] {
    let schema = try CloudKitSchema(context)
    var entries: [String: CloudKitEntry] = [:]
    var seen: Set<String> = []
    let asked = Set(names)
    for batch in Self.batches(names) {
      for record in try await query(batch, schema) {
        guard let name = record.name, asked.contains(name), record.type == schema.recordType,
          seen.insert(record.recordName).inserted
        else { continue }
        entries[name] = entries[name] == nil ? .record(record) : .several
      }
    }
    for batch in Self.batches(names.filter { entries[$0] == nil }) {
      entries.merge(try await lookUp(batch, schema)) { first, _ in first }
    }
    return entries
  }

  private static let pagesAtMost = 100

  private static func batches(_ names: [String]) -> [ArraySlice<String>] {
    stride(from: 0, to: names.count, by: CloudKitBody.recordsAtOnce).map {
      names[$0..<min($0 + CloudKitBody.recordsAtOnce, names.count)]
    }
  }

  private func query(
    _ names: ArraySlice<String>, _ schema: CloudKitSchema
  ) async throws(RemoteFailure) -> [CloudKitRecord] {
    var records: [CloudKitRecord] = []
    var marker: String?
    for _ in 0..<Self.pagesAtMost {
      let answer = try await send(.query, CloudKitBody.query(names, after: marker, schema))
      if let (first, second) = Self.halves(names, after: answer) {
        return try await query(first, schema) + (try await query(second, schema))
      }
      guard let json = answer.json else { throw failure(answer) }
      for node in try elements(json) {
        if let fault = CloudKitFault(node, in: json) { throw failure(fault) }
        guard let record = CloudKitRecord(node, in: json, schema) else {
          throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
        }
        records.append(record)
      }
      guard let next = json.member("continuationMarker").flatMap({ json.text($0) }) else { return records }
      guard next != marker else { break }
      marker = next
    }
    throw RemoteFailure(.unreadable, RemoteMessages.endlessList(host))
  }

  /// The records that were created under the record names of these names.
  private func lookUp(
    _ names: ArraySlice<String>, _ schema: CloudKitSchema
  ) async throws(RemoteFailure) -> [String: CloudKitEntry] {
    let recordNames = names.map { CloudKitRecord.recordName(of: $0, schema) }
    let answer = try await send(.lookup, CloudKitBody.lookup(recordNames, schema))
    if let (first, second) = Self.halves(names, after: answer) {
      let entries = try await lookUp(first, schema)
      return entries.merging(try await lookUp(second, schema)) { first, _ in first }
    }
    guard let json = answer.json else { throw failure(answer) }
    var nodes: [String: JSONNode] = [:]
    for node in try elements(json) {
      guard let recordName = json.member("recordName", in: node).flatMap({ json.text($0) }) else {
        throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
      }
      nodes[recordName] = node
    }
    var entries: [String: CloudKitEntry] = [:]
    for (name, recordName) in zip(names, recordNames) {
      entries[name] = entry(nodes[recordName], name, in: json, schema)
    }
    return entries
  }

  /// Nil for a record that is definitely not there.
  private func entry(
    _ node: JSONNode?, _ name: String, in json: JSONAnswer, _ schema: CloudKitSchema
  ) -> CloudKitEntry? {
    guard let node else { return .failed(RemoteFailure(.unreadable, RemoteMessages.notAnswered)) }
    if let fault = CloudKitFault(node, in: json) { return fault.code == .notFound ? nil : .failed(failure(fault)) }
    if case .bool(true)? = json.member("deleted", in: node)?.content { return nil }
    guard let record = CloudKitRecord(node, in: json, schema) else {
      return .failed(RemoteFailure(.unreadable, RemoteMessages.wrongShape(host)))
    }
    // The record may have been given another name.
    return record.type == schema.recordType && record.name == name ? .record(record) : nil
  }

  private func elements(_ json: JSONAnswer) throws(RemoteFailure) -> [JSONNode] {
    guard case .array(let elements)? = json.member("records")?.content else {
      throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
    }
    return elements
  }

  /// Two smaller requests, if the response to all of them is too large.
  private static func halves(
    _ names: ArraySlice<String>, after answer: CloudKitAnswer
  ) -> (ArraySlice<String>, ArraySlice<String>)? {
    guard answer.isTooLarge, names.count > 1 else { return nil }
    let middle = names.startIndex + names.count / 2
    return (names[..<middle], names[middle...])
  }
}
