import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// A secret whose value is a JSON object, with a target's names as members.
struct JSONSecret: Sendable {
  private let finding: SecretsManagerAPI.Finding
  private let json: JSONAnswer?

  init(_ finding: SecretsManagerAPI.Finding) {
    self.finding = finding
    if case .value(let version) = finding { json = JSONAnswer(version.value) } else { json = nil }
  }

  /// - Throws: the reason that the secret could not be read, or is not an object.
  private func members() throws(RemoteFailure) -> [JSONMember] {
    switch finding {
    case .missing, .deleted: return []
    case .failed(let failure): throw failure
    case .value:
      guard case .object(let members)? = json?.root.content else {
        throw RemoteFailure(.unreadable, AWSMessages.notAnObject, hint: AWSMessages.useObject)
      }
      return members
    }
  }

  private func value(_ node: JSONNode) -> TargetValue {
    guard let text = json?.scalar(node) else { return .other }
    return text.withBytes { ValueFault(in: $0) } == .holdsNUL ? .other : .text(text)
  }

  /// Whether a string may take its place: a program that reads a number there would no longer find one.
  private static func isReplaceable(_ node: JSONNode) -> Bool {
    switch node.content {
    case .string, .null: true
    case .bool, .number, .array, .object: false
    }
  }

  private static func isRemovable(_ node: JSONNode) -> Bool {
    switch node.content {
    case .string, .null, .bool, .number: true
    case .array, .object: false
    }
  }

  func sight(_ question: TargetQuestion) throws(RemoteFailure) -> TargetSight {
    let members = try members()
    var values: [String: TargetValue] = [:]
    var blockers = WriteBlockers()
    for member in members {
      if case .null = member.value.content { continue }
      if question.names.contains(member.name) { values[member.name] = value(member.value) }
      guard let intent = question.intent else { continue }
      let blocker = WriteBlocker(reason: AWSMessages.memberNotText)
      if intent.setting.contains(member.name), !Self.isReplaceable(member.value) {
        blockers.setting[member.name] = blocker
      }
      if intent.removing.contains(member.name), !Self.isRemovable(member.value) {
        blockers.removing[member.name] = blocker
      }
    }
    return TargetSight(.values(values), writeBlockers: blockers, placeId: finding.account)
  }

  /// Writes the object with the changes as one new version. The other members are sent as they were read.
  func write(
    _ changes: TargetChanges, to secret: String, _ writing: SecretWriting
  ) async throws(RemoteFailure) -> [String: WriteResult] {
    let members = try members()
    var results: [String: WriteResult] = [:]
    var edits: [String: SecretBox?] = [:]
    let present = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    let wanted = changes.set.map { ($0.name, SecretBox?.some($0.value)) } + changes.remove.map { ($0, nil) }
    for (name, value) in wanted {
      if let refusal = refusal(name, value, present[name]) {
        results[name] = .refused(refusal.asAccess)
      } else if !changes.expects(name, mark(of: present[name])) {
        results[name] = .stale
      } else if value == nil, present[name] == nil {
        results[name] = .done()
      } else {
        edits.updateValue(value, forKey: name)
      }
    }
    guard !edits.isEmpty else { return results }
    let result = await send(edits, members, to: secret, writing)
    for name in edits.keys { results[name] = result }
    return results
  }

  /// The version is the mark of each member: the service has no others.
  private func mark(of node: JSONNode?) -> Mark? {
    guard let node, case .value(let version) = finding else { return nil }
    if case .null = node.content { return nil }
    return Mark(version.id)
  }

  private func refusal(_ name: String, _ value: SecretBox?, _ node: JSONNode?) -> RemoteFailure? {
    if NameRule.text.fault(in: name) != nil { return RemoteFailure(.refused, RemoteMessages.invalidName) }
    if let node, !(value == nil ? Self.isRemovable(node) : Self.isReplaceable(node)) {
      return RemoteFailure(.refused, AWSMessages.memberNotText)
    }
    // One that is too large by itself must not make the object of all of them too large.
    if let value, value.count > SecretsManagerAPI.valueLimit {
      return RemoteFailure(.refused, RemoteMessages.valueSize(least: 0, most: SecretsManagerAPI.valueLimit))
    }
    return value.flatMap { SecretWriting.refusal(of: $0) }
  }

  private func send(
    _ edits: [String: SecretBox?], _ members: [JSONMember], to secret: String, _ writing: SecretWriting
  ) async -> WriteResult {
    let kept = members.filter { edits[$0.name] == nil }
    if kept.isEmpty, edits.values.allSatisfy({ $0 == nil }) {
      let deleted = await writing.delete(secret, finding)
      // A secret that someone else created stays, without members.
      guard case .refused = deleted else { return deleted }
    }
    let text = text(kept, edits)
    guard text.count <= SecretsManagerAPI.valueLimit else {
      return .refused(RemoteFailure(.refused, AWSMessages.objectTooLarge).asAccess)
    }
    let result = await writing.set(secret, to: text, over: finding)
    guard case .unknown = result else { return result }
    // A lost answer: the current value decides.
    if case .value(let version) = await writing.api.value(of: SecretId(secret)), version.value.equals(text) {
      return .done()
    }
    return result
  }

  private func text(_ kept: [JSONMember], _ edits: [String: SecretBox?]) -> SecretBox {
    var writer = SecretWriter()
    writer.append("{")
    var isFirst = true
    func begin(_ name: String, _ writer: inout SecretWriter) {
      if !isFirst { writer.append(",") }
      isFirst = false
      JSONText.write(name, to: &writer)
      writer.append(":")
    }
    for member in kept {
      begin(member.name, &writer)
      json?.write(member.value, to: &writer)
    }
    for (name, value) in edits.sorted(by: { $0.key < $1.key }) {
      guard let value else { continue }
      begin(name, &writer)
      value.withBytes { JSONText.write($0, to: &writer) }
    }
    writer.append("}")
    return writer.finished()
  }
}

extension SecretWriting {
  /// The reason that a value cannot be sent as JSON; nil if it can.
  static func refusal(of value: SecretBox) -> RemoteFailure? {
    value.withBytes { bytes in
      if ValueFault(in: bytes) == .holdsNUL { return RemoteFailure(.refused, ValueFault.holdsNUL.sentence) }
      return invalidUTF8(in: bytes) == nil ? nil : RemoteFailure(.refused, RemoteMessages.reason(.notText))
    }
  }
}
