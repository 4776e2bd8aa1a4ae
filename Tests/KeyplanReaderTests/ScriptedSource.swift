import KeyplanSecrets
import Synchronization

@testable import KeyplanReader

/// A source that answers as the test says, and remembers who asked when.
final class ScriptedSource: KeySource {
  struct Request: Sendable {
    let item: ReadItem
    let known: String?
    let at: Int64
  }

  private struct State {
    var answer: @Sendable (Request) -> KeySourceAnswer = { _ in .refused(.notFound, "There is none.", hint: nil) }
    var requests: [Request] = []
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []
    var changed: (@Sendable ([ReadItem]?) -> Void)?
  }

  let identity: String
  private let state = Mutex(State())
  private let time: FakeTime

  init(_ identity: String = "scripted", _ time: FakeTime) { (self.identity, self.time) = (identity, time) }

  func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer {
    let request = Request(item: item, known: known, at: time.nanoseconds)
    let waits = state.withLock { state in
      state.requests.append(request)
      return state.isHeld
    }
    if waits {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          guard state.isHeld else { return true }
          state.held.append(continuation)
          return false
        }
        if isFree { continuation.resume() }
      }
    }
    return state.withLock(\.answer)(request)
  }

  func watch(_ changed: @escaping @Sendable ([ReadItem]?) -> Void) async { state.withLock { $0.changed = changed } }

  // MARK: For the test

  func answers(_ answer: @escaping @Sendable (Request) -> KeySourceAnswer) { state.withLock { $0.answer = answer } }

  func has(_ text: String, version: String? = nil, endsAt: Int64? = nil) {
    answers { request in
      version != nil && request.known == version
        ? .unchanged
        : .value(
          KeySourceValue(
            SecretBox(Array(text.utf8)), name: request.item.name, version: version, provider: "openai", endsAt: endsAt))
    }
  }

  func refuses(_ reason: KeyError.Reason) { answers { _ in .refused(reason, "Because.", hint: nil) } }

  func isDown(retryAfter: Duration? = nil) { answers { _ in .unreachable("It is down.", retryAfter: retryAfter) } }

  /// Requests wait until they are let go.
  func hold() { state.withLock { $0.isHeld = true } }

  func letGo() {
    let held = state.withLock { state in
      defer { (state.isHeld, state.held) = (false, []) }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  var requests: [Request] { state.withLock(\.requests) }
  var isWatched: Bool { state.withLock { $0.changed != nil } }
  func tell(_ items: [ReadItem]?) { state.withLock(\.changed)?(items) }
}

extension ReadItem {
  var name: String {
    switch self {
    case .key(let name): name.rawValue
    case .active(let name): name.rawValue
    case .accessToken(let name): name.rawValue
    }
  }
}

extension APIKey {
  var text: String { withText { $0 } }
}

extension APIKeyName {
  static let weather = APIKeyName("weather")
  static let maps = APIKeyName("maps")
}
