import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Every backend, used as its page shows, at a service with one of the faults that all services have. A backend that is added is
/// tested without a line here.
@Suite("A service with a usual fault")
struct UsualFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var status = 200
    var headers: [String: String] = [:]
    var body = ""
    /// Instead of an answer.
    var error: HTTPError.Code?
    /// What it is taken for.
    let kinds: Set<AccessFailure.Kind>
    /// Whether the service may have carried out a write.
    var leavesDoubt = false
  }

  private static let page = "<!DOCTYPE html><html><head><title>Welcome to the hotel</title></head></html>"
  private static let html = ["Content-Type": "text/html"]

  private static let unknown = "it does not know who asks"
  private static let denied = "who asks may not"

  /// How services say it that are not believed without words of their own: without them, it is a proxy's answer.
  private static let own: [String: [String: (status: Int, body: String)]] = [
    unknown: ["awsps": (400, aws("UnrecognizedClientException")), "awssm": (400, aws("UnrecognizedClientException"))],
    denied: [
      "awsps": (400, aws("AccessDeniedException")), "awssm": (400, aws("AccessDeniedException")),
      "github": (403, #"{"message": "Resource not accessible by integration"}"#),
      "kubernetes": (403, #"{"kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403}"#),
    ],
  ]

  /// Where a refusal to sign in, or to say whose token it is, is all that answers.
  private static let deniedAtSignIn: Set = ["azure", "vault"]

  private static func aws(_ code: String) -> String { "{\"__type\": \"\(code)\", \"message\": \"m\"}" }

  static let faults = [
    Fault(testDescription: unknown, status: 401, kinds: [.unauthenticated]),
    Fault(testDescription: denied, status: 403, kinds: [.denied]),
    Fault(testDescription: "a proxy denies it", status: 403, headers: html, body: page, kinds: [.denied, .unreadable]),
    Fault(testDescription: "it is throttled", status: 429, kinds: [.throttled]),
    Fault(
      testDescription: "it is throttled and says for how long", status: 429, headers: ["Retry-After": "3600"],
      kinds: [.throttled]),
    Fault(testDescription: "it is unavailable", status: 503, kinds: [.unreachable], leavesDoubt: true),
    Fault(
      testDescription: "it is sealed", status: 503, body: #"{"errors":["Vault is sealed"]}"#,
      kinds: [.sealed, .unreachable], leavesDoubt: true),
    Fault(testDescription: "it is slow", error: .timedOut(.seconds(30)), kinds: [.unreachable], leavesDoubt: true),
    Fault(testDescription: "it is cut off", error: .cut, kinds: [.unreachable], leavesDoubt: true),
    Fault(testDescription: "it is refused", error: .refused, kinds: [.unreachable]),
    Fault(testDescription: "its certificate is another's", error: .tls(.otherHost), kinds: [.unreachable]),
    Fault(testDescription: "its certificate is not trusted", error: .tls(.untrusted), kinds: [.unreachable]),
    Fault(
      testDescription: "a captive portal answers", headers: html, body: page, kinds: [.unreadable], leavesDoubt: true),
    Fault(
      testDescription: "a captive portal sends elsewhere", status: 302,
      headers: ["Location": "https://portal.example/", "Content-Type": "text/html"], kinds: [.unreadable],
      leavesDoubt: true),
    Fault(
      testDescription: "a captive portal says that it is one", status: 511, headers: html, body: page,
      kinds: [.unreachable], leavesDoubt: true),
    Fault(
      testDescription: "a web server has no such page", status: 404, headers: html, body: page,
      kinds: [.unreadable, .denied]),
  ]

  /// What was asked, and how long it would have been waited.
  final class Log: Sendable {
    private let state = Mutex((sent: 0, waited: Duration.zero))
    func add() { state.withLock { $0.sent += 1 } }
    func add(_ pause: Duration) { state.withLock { $0.waited += pause } }
    var sent: Int { state.withLock { $0.sent } }
    var waited: Duration { state.withLock { $0.waited } }
  }

  private static func use(_ name: String, _ fault: Fault) throws -> (BackendUse, Log) {
    let log = Log()
    let use = try BackendUse(name, token: "canary-of-the-credential") { _ in
      RemoteTransport(
        send: { (request) async throws(HTTPError) in
          log.add()
          if let code = fault.error { throw HTTPError(code, at: request.address.host) }
          let (status, body) = own[fault.testDescription]?[name] ?? (fault.status, fault.body)
          return HTTPResponse(status: status, headers: fault.headers, body: SecretBox(Array(body.utf8)))
        }, pause: { log.add($0) }, now: { 1_800_000_000 })
    }
    return (use, log)
  }

  private func check(_ failure: AccessFailure, _ fault: Fault, _ name: String, _ log: Log, _ what: String) {
    #expect(Self.kinds(of: fault, at: name).contains(failure.kind), "\(what): \(failure.kind): \(failure.reason)")
    if fault.headers["Retry-After"] != nil {
      #expect((failure.retryAfter?.seconds ?? 0) >= 3600, "\(what): \(failure)")
    }
    // Where the connection can name the certificate, that is what helps.
    if fault.error == .tls(.untrusted),
      RemoteBackends.description(name)?.connection?.fields.contains(where: { $0.name == "ca" }) == true
    {
      #expect(failure.hint?.contains("`ca` of the connection") == true, "\(what): \(failure.hint ?? "")")
    }
    // A minute or so at most, and no request without end; whoever says an hour is not waited for.
    #expect(log.sent > 0 && log.sent <= 20 && log.waited <= .seconds(120), "\(what): \(log.sent), \(log.waited)")
  }

  private static func kinds(of fault: Fault, at name: String) -> Set<AccessFailure.Kind> {
    if fault.body.contains("sealed") { return name == "vault" ? [.sealed] : [.unreachable] }
    return fault.status == 403 && deniedAtSignIn.contains(name) ? [.unauthenticated] : fault.kinds
  }

  @Test(
    "is told by what it is: nothing is thought missing, read or written", arguments: RemoteBackends.names, faults)
  func told(name: String, fault: Fault) async throws {
    let (reading, readingLog) = try Self.use(name, fault)
    if let source = reading.backend.source, let reference = reading.reference {
      let answer = await source.read([reference]).first
      if case .failed(let failure)? = answer {
        check(failure, fault, name, readingLog, "reading")
      } else {
        Issue.record("read \(answer.map { "\($0)" } ?? "nothing")")
      }
    }
    guard let destination = reading.destination else { return }
    let (looking, lookingLog) = try Self.use(name, fault)
    let sight = try await #require(looking.backend.target).look(TargetQuestion(names: [looking.name]), at: destination)
    if case .failed(let failure) = sight.answer {
      check(failure, fault, name, lookingLog, "looking")
    } else {
      Issue.record("saw \(sight.answer)")
    }
    let (writing, writingLog) = try Self.use(name, fault)
    let changes = TargetChanges(
      set: [(writing.name, SecretBox(Array("canary-of-the-value".utf8)))], remove: [])
    do throws(AccessFailure) {
      let results = try await writing.backend.target?.write(changes, at: destination) ?? [:]
      #expect(Set(results.keys) == [writing.name])
      for result in results.values {
        switch result {
        case .done: Issue.record("seems to be written")
        case .stale: Issue.record("seems to be changed")
        case .refused(let failure): check(failure, fault, name, writingLog, "writing")
        case .unknown(let reason): #expect(fault.leavesDoubt, "writing is in doubt: \(reason)")
        }
      }
    } catch {
      check(error, fault, name, writingLog, "writing")
    }
  }
}
