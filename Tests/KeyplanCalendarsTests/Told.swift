import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Synchronization

@testable import KeyplanCalendars

extension HTTPResponse {
  init(_ status: Int, _ body: String, _ headers: [String: String] = [:]) {
    self.init(status: status, headers: headers, body: SecretBox(Array(body.utf8)))
  }
}

/// Gives the answers one after the other, and keeps what was sent. The last one is given again and again.
final class ScriptedPort: CalendarPort {
  private let answers: Mutex<[Result<HTTPResponse, HTTPError>]>
  private let requests = Mutex<[HTTPRequest]>([])

  init(_ answers: [Result<HTTPResponse, HTTPError>]) { self.answers = Mutex(answers.reversed()) }

  convenience init(_ answers: HTTPResponse...) { self.init(answers.map { .success($0) }) }

  var sent: [HTTPRequest] { requests.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    requests.withLock { $0.append(request) }
    return try answers.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }.get()
  }
}

/// Gives what a closure makes of how often it was asked before.
final class EndlessPort: CalendarPort {
  private let asked = Mutex(0)
  private let answer: @Sendable (Int) -> String

  init(_ answer: @escaping @Sendable (Int) -> String) { self.answer = answer }

  var count: Int { asked.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let number = asked.withLock { count in
      defer { count += 1 }
      return count
    }
    return HTTPResponse(200, answer(number))
  }
}

/// The two services over HTTP, as tables run through them.
enum Vendor: String, CaseIterable {
  case google, graph

  func service(through port: any CalendarPort, token: String = "good", at root: String? = nil) throws
    -> any CalendarService
  {
    let token = SecretBox(Array(token.utf8))
    switch self {
    case .google:
      let address = try root.map { try HTTPAddress("\($0)/calendar/v3/") } ?? GoogleCalendars.standardAddress()
      return GoogleCalendars(at: address, token: token, through: port)
    case .graph:
      let address = try root.map { try HTTPAddress("\($0)/v1.0") } ?? GraphCalendars.standardAddress()
      return GraphCalendars(at: address, token: token, through: port)
    }
  }

  /// A page of calendars, one of them.
  var page: String {
    switch self {
    case .google: #"{"kind":"calendar#calendarList","items":[{"id":"a","summary":"A","primary":true}]}"#
    case .graph: #"{"value":[{"id":"a","name":"A","isDefaultCalendar":true}]}"#
    }
  }
}

extension EventRange {
  static func november() -> EventRange? {
    guard let from = Moment("2026-11-01"), let to = Moment("2026-12-01") else { return nil }
    return EventRange(from: from, to: to)
  }
}

extension CalendarError {
  /// In short, for tables.
  var short: String {
    let name =
      switch code {
      case .unreachable: "unreachable"
      default: "\(code)"
      }
    return [name, detail, pause.map { "\($0.components.seconds)" } ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension CalendarService {
  /// Why the calendars cannot be had.
  func fault() async -> CalendarError? {
    do throws(CalendarError) {
      _ = try await calendars()
      return nil
    } catch {
      return error
    }
  }
}
