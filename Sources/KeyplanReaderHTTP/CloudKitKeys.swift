internal import KeyplanCloudKit
internal import KeyplanHTTP
internal import KeyplanJSON
public import KeyplanReader
public import KeyplanSecrets

/// Keys in the public database of a CloudKit container: records with a name and a value.
///
/// ```swift
/// let reader = KeyReader(try CloudKitKeys(container: "iCloud.com.example.app", environment: .production, .apiToken(token)))
/// ```
///
/// Source: *CloudKit Web Services Reference* in Apple's documentation archive.
public struct CloudKitKeys: KeySource {
  /// The environment of a container.
  public enum Environment: String, Sendable { case development, production }

  /// The authentication of requests.
  public enum Credential: Redacted, Sendable {
    /// Reads what the role `_world` may read. A program that is given to others contains only this.
    case apiToken(SecretBox)
    /// A server-to-server key with its private key (P-256, PEM).
    case serverKey(id: String, pem: SecretBox)
  }

  /// The names of the record type and its fields.
  public struct Records: Sendable {
    /// The record type.
    public var type = "Keys"
    /// The field with the name of a key. It needs a QUERYABLE index.
    public var nameField = "name"
    /// The field with the value.
    public var valueField = "key"

    /// Records of the type `Keys` with the fields `name` and `key`.
    public init() {}
  }

  private let schema: CloudKitSchema
  private let credential: CloudKitCredential
  private let address: String
  private let transport: SourceTransport
  /// Container, environment and record type.
  public let identity: String

  /// - Throws: `KeyError` (`backend`) if the key is not a P-256 key in PEM form.
  public init(
    container: String, environment: Environment, _ credential: Credential, records: Records = Records()
  ) throws(KeyError) {
    try self.init(
      container: container, environment: environment, credential, records: records, at: CloudKitRequest.address,
      SourceTransport(authorities: nil))
  }

  init(
    container: String, environment: Environment, _ credential: Credential, records: Records, at address: String,
    _ transport: SourceTransport
  ) throws(KeyError) {
    schema = CloudKitSchema(
      container: container, environment: environment.rawValue, recordType: records.type,
      nameField: records.nameField, valueField: records.valueField)
    switch credential {
    case .apiToken(let token): self.credential = .token(token)
    case .serverKey(let id, let pem):
      guard let key = CloudKitKey(id: id, pem: pem) else {
        throw KeyError(
          .backend, nil, "The private key is not a P-256 key in PEM form without a password.",
          hint: "Create one with: openssl ecparam -name prime256v1 -genkey -noout -out eckey.pem")
      }
      self.credential = .key(key)
    }
    (self.address, self.transport) = (address, transport)
    identity = "CloudKit \(container) \(environment.rawValue) \(records.type)"
  }

  /// Asks for the record with this name. Records that keyplan created are also looked up by their record name, because the index
  /// that queries use lags behind.
  public func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer {
    guard case .key(let name) = item else {
      return .refused(.notFound, "A container has keys, and no slots or accounts.", hint: nil)
    }
    let record: CloudKitRecord
    switch await records(.query, CloudKitBody.query([name.rawValue], after: nil, schema)) {
    case .failure(let refusal): return refusal.answer
    case .success(let found):
      let matching = found.filter { $0.name == name.rawValue && $0.type == schema.recordType }
      guard matching.count < 2 else {
        return .refused(
          .backend, "Several records of the type \(schema.recordType) are named \"\(name)\".",
          hint: "In CloudKit Console, delete all but one of them.")
      }
      if let first = matching.first {
        record = first
      } else {
        let own = CloudKitRecord.recordName(of: name.rawValue, schema)
        switch await records(.lookup, CloudKitBody.lookup([own], schema)) {
        case .failure(let refusal): return refusal.answer
        case .success(let found):
          guard let first = found.first, first.name == name.rawValue, first.type == schema.recordType else {
            return .refused(
              .notFound, "\(schema.container) has no record of the type \(schema.recordType) named \"\(name)\".",
              hint: nil)
          }
          record = first
        }
      }
    }
    let version = "\(record.recordName) \(record.tag)"
    guard version != known else { return .unchanged }
    guard case .text(let value) = record.value, value.count > 0 else {
      return .refused(
        .missingField, "The record \"\(name)\" has no text in the field \(schema.valueField).", hint: nil)
    }
    return .value(KeySourceValue(value, name: name.rawValue, version: version))
  }

  private struct Refusal: Error { let answer: KeySourceAnswer }

  /// The records of a response; a record that definitely does not exist is left out.
  private func records(
    _ operation: CloudKitRequest.Operation, _ body: SecretBox
  ) async -> Result<[CloudKitRecord], Refusal> {
    guard
      let request = CloudKitRequest.make(operation, body, at: address, schema, credential, now: transport.now())
    else {
      return .failure(Refusal(answer: .refused(.backend, "The container's name cannot be used.", hint: nil)))
    }
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await transport.send(request)
    } catch {
      return .failure(Refusal(answer: SourceTransport.answer(error)))
    }
    let json = JSONAnswer(response.body)
    if let json, let fault = CloudKitFault(json.root, in: json) {
      return .failure(Refusal(answer: answer(fault, response)))
    }
    guard response.status == 200, let json, case .array(let nodes)? = json["records"]?.content else {
      return .failure(Refusal(answer: answer(nil, response)))
    }
    var records: [CloudKitRecord] = []
    for node in nodes {
      if let fault = CloudKitFault(node, in: json) {
        guard fault.code == .notFound else { return .failure(Refusal(answer: answer(fault, response))) }
        continue
      }
      if case .bool(true)? = json.member("deleted", in: node)?.content { continue }
      guard let record = CloudKitRecord(node, in: json, schema) else {
        return .failure(
          Refusal(answer: .refused(.backend, "CloudKit answered with records of another form.", hint: nil)))
      }
      records.append(record)
    }
    return .success(records)
  }

  /// The answer for an error of the service.
  private func answer(_ fault: CloudKitFault?, _ response: HTTPResponse) -> KeySourceAnswer {
    let code = fault?.code
    let detail = "CloudKit answered with \(code?.rawValue ?? "HTTP \(response.status)")."
    switch code {
    case .throttled, .tryAgainLater, .zoneBusy, .internalError:
      return .unreachable(detail, retryAfter: fault?.pause ?? response.pauseInHeader)
    case .accessDenied, .authenticationFailed, .authenticationRequired:
      return .refused(
        .denied, detail, hint: "Check the credential, and the roles of the record type in CloudKit Console.")
    case .atomicError, .badRequest, .conflict, .exists, .notFound, .quotaExceeded, .validatingReferenceError,
      .zoneNotFound:
      return .refused(
        .backend, detail, hint: "Check the container, its environment, and the record type with its index.")
    case nil:
      switch response.status {
      case 401, 403: return .refused(.denied, detail, hint: nil)
      // Without an error of the service, 421 is a connection that led to another host.
      case 408, 421, 429, 500...599: return .unreachable(detail, retryAfter: response.pauseInHeader)
      default: return .refused(.backend, detail, hint: nil)
      }
    }
  }
}
