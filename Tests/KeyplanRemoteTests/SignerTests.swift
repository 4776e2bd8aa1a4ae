import Crypto
import CryptoExtras
import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

private typealias Held = KeyplanSecrets.SecretBox

/// Descriptions whose requests are signed, or whose credential is obtained with a signature.
@Suite struct SignerTests {
  // MARK: Signature Version 4

  struct Signed: Sendable, CustomTestStringConvertible {
    var service = "execute-api"
    var method = HTTPRequest.Method.get
    let address: String
    var target: String?
    var body: String?
    var token: String?
    let signature: String

    var testDescription: String { address }
  }

  /// Signatures of botocore's `SigV4Auth` and `S3SigV4Auth` for the same requests.
  @Test(
    "requests with paths and queries are signed as botocore signs them",
    arguments: [
      Signed(
        address: "https://api.example:8443/v1/a%20b//c%2Fd/?z=1&a=x%2Fy&a=b", target: "T.Get", token: "tok",
        signature: "7822c7535ed0cf903cbe6d51481d1116efac3f4289e8df673cd035c36ac21a3b"),
      Signed(
        method: .post, address: "https://api.example/v1", body: #"{"v":"x"}"#,
        signature: "bf2ce8b89ceb875c94298f811c1ff7a31793fddd6a3b99fd4c88fe1959475f28"),
      Signed(
        service: "s3", address: "https://api.example/a%20b//c%2Fd",
        signature: "dd68d8ffda36663c268088461b2205a5679437bfb63d87026e13c053860be54a"),
      Signed(
        address: "https://api.example", signature: "6157cd3acd1d1ac60cf8ec75dc8174239618697b1a12f816afdfc855c30d373e"),
    ])
  func signature(_ test: Signed) throws {
    var request = HTTPRequest(test.method, try HTTPAddress(test.address))
    if let target = test.target { try request.add("x-amz-target", .open(target)) }
    request.body = test.body.map { HTTPBody(type: "application/json", Held(Array($0.utf8))) }
    var bindings = Bindings()
    bindings["key"] = .secret(Held(Array("secret/key".utf8)))
    bindings["session"] = test.token.map { .secret(Held(Array($0.utf8))) }
    let signature = SecretAPI.AWSSignature(
      service: test.service, region: try Template("eu-west-1"), accessKeyId: try Template("AKID"),
      secretAccessKey: try Template("{key}"), sessionToken: try Template("{session}"))
    try signature.sign(&request, bindings, at: 1_800_000_000)
    let value = try #require(request.headers.first { $0.name == "authorization" }?.value)
    guard case .open(let authorization) = value else {
      Issue.record("The authorization is a secret.")
      return
    }
    #expect(authorization.hasSuffix("Signature=\(test.signature)"), "\(authorization)")
    #expect(request.headers.contains { $0.name == "x-amz-security-token" } == (test.token != nil))
    #expect(!authorization.contains("secret/key") && !authorization.contains("tok,"))
  }

  static let parameters = """
    summary: Parameters
    connection:
      address: {type: url, required: true}
      region: {type: label, required: true}
      accessKeyId: {type: text}
      secretAccessKey: {type: secret}
      sessionToken: {type: secret}
    target: {path: {type: path, required: true}}
    base: "{address}"
    headers: {content-type: application/x-amz-json-1.1}
    auth:
      - sign:
          kind: sigv4
          service: ssm
          region: "{region}"
          accessKeyId: "{accessKeyId}"
          secretAccessKey: "{secretAccessKey}"
          sessionToken: "{sessionToken}"
    names: {pattern: "[A-Z]{1,40}"}
    readMany:
      post: /
      headers: {x-amz-target: AmazonSSM.GetParameters}
      json: {Names: {$each: names, item: "/{path}/{name}"}, WithDecryption: true}
      max: 10
      entries: {each: /Parameters, name: {at: /Name, decode: lastSegment}, value: /Value, version: /Version}
      failed: {each: /InvalidParameters, then: missing}
      omitsMissing: true
    put:
      post: /
      headers: {x-amz-target: AmazonSSM.PutParameter}
      json: {Name: "/{path}/{name}", Value: "{value}", Type: SecureString, Overwrite: true}
    outcomes: [{at: /__type, has: UnrecognizedClient, then: unauthenticated}]
    """

  static func run(
    _ text: String, _ fields: [String: FieldInput], _ transport: RemoteTransport, place: [String: String]
  ) throws -> ServiceRun {
    let api = try SecretAPI.read(Array(text.utf8), name: "test")
    let place = RemotePlace(connection: RemoteConnection(name: "test", fields: fields), fields: place)
    return ServiceRun(service: RemoteService(api, transport), pauses: Pauses(), place: place)
  }

  @Test("without an access key, or with a region that is not one, nothing is sent")
  func noKey() async throws {
    let service = Recorder()
    let whole: [String: FieldInput] = [
      "address": .text("https://service.example"), "region": .text("eu"), "accessKeyId": .text("A"),
      "secretAccessKey": .secret(Held(Array("s".utf8))),
    ]
    for (name, value) in [("accessKeyId", nil), ("secretAccessKey", nil), ("accessKeyId", "a b")] as [(String, String?)]
    {
      var fields = whole
      fields[name] = value.map { .text($0) }
      let run = try Self.run(Self.parameters, fields, service.transport, place: ["path": "p"])
      guard case .failed? = await run.read("A").first else {
        Issue.record("\(name)")
        return
      }
    }
    let region = try Self.run(
      Self.parameters.replacing("region: \"{region}\"", with: "region: \"EU/1\""), whole, service.transport,
      place: ["path": "p"])
    #expect(await region.read("A") == [.failed(.unreadable)])
    #expect(service.requests.isEmpty)
  }

  // MARK: Assertions

  private static let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

  /// Answers each login with a token, and each other request with a list.
  private final class Recorder: Sendable {
    struct Request: Sendable {
      let address: String
      let authorization: String?
      let body: String
    }

    private let seen = Mutex<[Request]>([])
    var requests: [Request] { seen.withLock { $0 } }

    var transport: RemoteTransport {
      RemoteTransport(
        send: { request in
          let header = request.headers.first { $0.name == "authorization" }?.value
          let authorization =
            switch header {
            case .open(let text): text
            case .secret(let secret, let prefix): prefix + secret.text
            case nil: String?.none
            }
          self.seen.withLock {
            $0.append(
              Request(
                address: request.address.text, authorization: authorization, body: request.body?.bytes.text ?? ""))
          }
          let isLogin = request.address.text.hasSuffix("/token")
          let answer = isLogin ? #"{"access_token": "session"}"# : #"[{"name": "A", "value": "one"}]"#
          return HTTPResponse(status: 200, headers: [:], body: Held(Array(answer.utf8)))
        }, pause: { _ in }, now: { 1_800_000_000 })
    }
  }

  private static let service = """
    summary: A service with service accounts
    connection: {address: {type: url, default: "https://service.example"}, account: {type: secret}}
    target: {project: {type: name, required: true}}
    base: "{address}/v1/{project}"
    auth:
      - when: [account]
        members: {account: {email: /client_email, keyId: /private_key_id, privateKey: /private_key}}
        sign:
          kind: rs256
          key: "{privateKey}"
          header: {kid: "{keyId}"}
          claims: {iss: "{email}", aud: "https://tokens.example/token", scope: "read write", nested: {list: [1, true]}}
          lifetime: 600
        login:
          - base: https://tokens.example
            post: /token
            form: {grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "{assertion}"}
            yields: {session: /access_token}
        bearer: "{session}"
    list: {get: /list, entries: {each: "", name: /name, value: /value}}
    """

  private static func account(_ changes: [String: Any?] = [:]) throws -> String {
    let key = try #require(key).pkcs8PEMRepresentation
    var fields: [String: Any] = ["client_email": "ci@p.example", "private_key_id": "k1", "private_key": key]
    for (name, value) in changes { fields[name] = value }
    return String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
  }

  private static func run(_ text: String, account: String, _ service: Recorder) throws -> ServiceRun {
    try run(
      text, ["account": .secret(Held(Array(account.utf8)))], service.transport, place: ["project": "p"])
  }

  /// The header and the claims of an assertion whose signature is that of the key.
  private static func verified(_ assertion: String) throws -> (header: [String: Any], claims: [String: Any]) {
    let parts = assertion.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    func bytes(_ part: String) throws -> Data {
      let plain = part.replacing("-", with: "+").replacing("_", with: "/")
      return try #require(Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)))
    }
    let digest = SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8))
    let signature = _RSA.Signing.RSASignature(rawRepresentation: try bytes(parts[2]))
    try #require(
      key?.publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) == true)
    func object(_ part: String) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: bytes(part)) as? [String: Any])
    }
    return (try object(parts[0]), try object(parts[1]))
  }

  @Test("a login sends an assertion that the key of the account signed, and its token signs the requests")
  func assertion() async throws {
    let service = Recorder()
    let run = try Self.run(Self.service, account: try Self.account(), service)
    #expect(await run.read("A") == [.value("one")])
    #expect(service.requests.map(\.address) == ["https://tokens.example/token", "https://service.example/v1/p/list"])
    #expect(service.requests[1].authorization == "Bearer session")
    #expect(service.requests[0].authorization == nil)
    let form = service.requests[0].body.split(separator: "&")
    #expect(form[0] == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")
    let (header, claims) = try Self.verified(String(form[1].dropFirst("assertion=".count)))
    #expect(header as? [String: String] == ["alg": "RS256", "typ": "JWT", "kid": "k1"])
    #expect(claims["iss"] as? String == "ci@p.example" && claims["aud"] as? String == "https://tokens.example/token")
    #expect(claims["iat"] as? Int == 1_800_000_000 && claims["exp"] as? Int == 1_800_000_600)
    #expect((claims["jti"] as? String)?.count == 32)
    #expect((claims["nested"] as? [String: [Int]])?["list"]?.first == 1)
  }

  @Test("an assertion can be the credential itself")
  func bearer() async throws {
    let service = Recorder()
    let text = Self.service.replacing("bearer: \"{session}\"", with: "bearer: \"{assertion}\"")
      .replacing(/\x20{4}login:\n(\x20{6}.*\n)+/, with: "")
    let run = try Self.run(text, account: try Self.account(), service)
    #expect(await run.read("A") == [.value("one")])
    #expect(service.requests.count == 1)
    let header = try #require(service.requests[0].authorization)
    #expect(header.hasPrefix("Bearer "))
    _ = try Self.verified(String(header.dropFirst(7)))
  }

  @Test("a file that is not such an account is reported without its content, and nothing is sent")
  func files() async throws {
    let other = try P256.Signing.PrivateKey().pemRepresentation
    let small = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)).pkcs8PEMRepresentation
    for (account, reason) in [
      ("canary {", "not a JSON object"), ("[\"canary\"]", "{email}"),
      (try Self.account(["private_key": nil]), "{privateKey}"),
      (try Self.account(["private_key": "canary"]), "RSA"), (try Self.account(["private_key": other]), "RSA"),
      (try Self.account(["client_email": ["canary"]]), "{email}"), (try Self.account(["private_key": small]), "RSA"),
    ] {
      let service = Recorder()
      let run = try Self.run(Self.service, account: account, service)
      guard case .failed(let failure) = await run.sight(TargetQuestion(names: ["A"])).answer else {
        Issue.record("signed with \(reason)")
        continue
      }
      #expect(failure.kind == .unauthenticated && failure.reason.contains(reason), "\(failure.reason)")
      #expect(!failure.reason.contains("canary") && service.requests.isEmpty)
    }
  }

  @Test("the hosts of a login that an assertion is sent to are known before anything is sent")
  func hosts() throws {
    let run = try Self.run(Self.service, account: try Self.account(), Recorder())
    #expect(try run.service.hosts(of: run.place) == ["service.example", "tokens.example"])
    let api = try SecretAPI.read(Array(Self.service.utf8), name: "test")
    #expect(BackendDescription(api).connection?.hosts == ["tokens.example"])
  }
}
