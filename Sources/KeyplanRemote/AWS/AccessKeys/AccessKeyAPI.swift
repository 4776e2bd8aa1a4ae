import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// The actions of IAM that keyplan uses for the keys of one user (IAM API Reference, version 2010-05-08).
struct AccessKeyAPI: Sendable {
  let client: AWSClient
  let user: String

  /// A key in the list of a user.
  struct Entry: Sendable {
    let id: String
    let isActive: Bool
    let created: Moment?
  }

  /// The parts of a new key that an answer reporting success has.
  struct Created: Sendable {
    var id: String?
    var secret: SecretBox?
  }

  /// A user has two keys, so a list with more pages does not end.
  private static let mostPages = 10

  var host: String { client.endpoint.address.host }

  func create() async throws(AWSError) -> Created {
    let answer = try await call("CreateAccessKey", [], .mint)
    guard let key = answer.root.child("CreateAccessKeyResult")?.child("AccessKey") else { throw wrongShape }
    return Created(
      id: answer.text("AccessKeyId", of: key).flatMap { Self.isId($0) ? $0 : nil },
      secret: answer.secret("SecretAccessKey", of: key).flatMap { Self.isSecret($0) ? $0 : nil })
  }

  /// All keys, active or not.
  /// - Throws: `AWSError` unless the list is complete.
  func keys() async throws(AWSError) -> [Entry] {
    var keys: [Entry] = []
    var seen: Set<String> = []
    var marker: String?
    for _ in 0..<Self.mostPages {
      let (page, next) = try await page(after: marker)
      for key in page {
        // A list that changed between two of its pages shows one key twice, and another not at all.
        guard seen.insert(key.id).inserted else { throw unreadable(IssuerMessages.duplicate(host)) }
        keys.append(key)
      }
      guard let next else { return keys }
      marker = next
    }
    throw unreadable(RemoteMessages.endlessList(host))
  }

  func deactivate(_ id: String) async throws(AWSError) {
    _ = try await call("UpdateAccessKey", [("AccessKeyId", .open(id)), ("Status", .open("Inactive"))], .write)
  }

  func delete(_ id: String) async throws(AWSError) {
    _ = try await call("DeleteAccessKey", [("AccessKeyId", .open(id))], .write)
  }

  private func page(after marker: String?) async throws(AWSError) -> (keys: [Entry], next: String?) {
    let answer = try await call("ListAccessKeys", marker.map { [("Marker", .open($0))] } ?? [], .read)
    guard let result = answer.root.child("ListAccessKeysResult"),
      let members = result.child("AccessKeyMetadata")?.children(all: "member")
    else { throw wrongShape }
    let keys = try members.map { (member) throws(AWSError) in
      guard let id = answer.text("AccessKeyId", of: member), Self.isId(id),
        let status = answer.text("Status", of: member)
      else { throw wrongShape }
      let created = answer.text("CreateDate", of: member).flatMap { AWSTime.seconds($0) }
      return Entry(id: id, isActive: status == "Active", created: created.map { Moment(seconds: $0) })
    }
    let next = answer.text("Marker", of: result)
    // The member is optional, and AWS always sends it.
    switch answer.text("IsTruncated", of: result) {
    case "true" where next != nil: return (keys, next)
    case "false", nil: if next == nil { return (keys, nil) }
    default: break
    }
    throw wrongShape
  }

  private func call(
    _ action: String, _ parameters: [(name: String, value: HTTPValue)], _ purpose: AWSClient.Purpose
  ) async throws(AWSError) -> XMLAnswer {
    let response = try await client.query(action, [("UserName", .open(user))] + parameters, purpose)
    // A proxy or a portal can report success, too.
    guard let answer = XMLAnswer(response.body), answer.root.name == "\(action)Response" else { throw wrongShape }
    return answer
  }

  private var wrongShape: AWSError { unreadable(RemoteMessages.wrongShape(host)) }

  private func unreadable(_ reason: String) -> AWSError {
    AWSError(failure: RemoteFailure(.unreadable, reason), status: 200)
  }

  private static let idPattern = try? FormatPattern(#"\w{16,128}"#)

  private static func isId(_ text: String) -> Bool { idPattern?.matches(Array(text.utf8)) == true }

  private static func isSecret(_ secret: SecretBox) -> Bool {
    secret.withBytes { $0.allSatisfy { (0x21...0x7E).contains($0) } }
  }
}
