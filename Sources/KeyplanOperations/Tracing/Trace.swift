internal import KeyplanHTTP
internal import KeyplanReporting
internal import KeyplanSecrets
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The spans of one command: of the command itself, of each place that it queries, and of each step.
package final class Trace: Sendable {
  private struct State {
    /// Those that have not ended, by their names for people.
    var open: [String: [Span]] = [:]
    var ended: [Span] = []
    var dropped = 0
  }

  private let settings: TraceSettings
  private let context: TraceContext
  private let command: Span
  private let version: String
  private let state = Mutex(State())

  /// The maximum number of spans, and the number of spans in one request.
  private static let (limit, batch) = (20_000, 512)

  /// Nil if the environment configures none, or if the caller's trace is not recorded. Passes its trace context on to the programs that this
  /// process starts.
  /// - Parameter command: such as `keyplan plan`.
  package init?(of command: @autoclosure () -> String, version: String, warning: (Warning) -> Void) {
    let parent = World.variable("TRACEPARENT").flatMap { TraceContext($0) }
    do throws(TraceSettings.Unusable) {
      guard let settings = try TraceSettings({ World.variable($0) }), parent?.isSampled ?? true else { return nil }
      self.settings = settings
    } catch {
      warning(Warning("No traces", error.detail, hint: error.hint))
      return nil
    }
    context = TraceContext(
      trace: parent?.trace ?? TraceContext.identifier(32), span: TraceContext.identifier(16))
    self.command = Span(context.span, in: parent?.span, command(), from: Self.now)
    self.version = version
    setenv("TRACEPARENT", context.text, 1)
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Starts and ends spans from the difference between two lists of names: `asking vault://…`, `syncing target.app`.
  package func changed(from before: [String], to after: [String]) {
    guard before != after else { return }
    var gone = before
    var new: [String] = []
    for name in after { if let index = gone.firstIndex(of: name) { gone.remove(at: index) } else { new.append(name) } }
    let now = Self.now
    state.withLock { state in
      for name in gone { Self.end(name, at: now, in: &state) }
      for name in new {
        // A name for all spans of a kind, and the subject in an attribute.
        let words = name.split(separator: " ", maxSplits: 1).map(String.init)
        let subject = words.dropFirst().first.map { [(name: "keyplan.subject", value: Span.Value.text($0))] } ?? []
        let span = Span(TraceContext.identifier(16), in: context.span, words.first ?? name, subject, from: now)
        state.open[name, default: []].append(span)
      }
    }
  }

  /// Records the reason that an open span fails.
  package func fails(_ name: String, _ reason: String) {
    state.withLock { state in
      guard let last = state.open[name]?.indices.last else { return }
      state.open[name]?[last].failure = reason
    }
  }

  private static func end(_ name: String, at now: UInt64, in state: inout State) {
    guard var span = state.open[name]?.popLast() else { return }
    span.end = now
    guard state.ended.count < limit else { return state.dropped += 1 }
    state.ended.append(span)
  }

  /// Sends everything. Never fails the command.
  /// - Returns: a warning if the spans could not be sent, or some were dropped.
  package func finish(code: Int32) async -> Warning? {
    let (spans, dropped) = state.withLock { state in
      for name in state.open.keys {
        while !(state.open[name] ?? []).isEmpty { Self.end(name, at: Self.now, in: &state) }
      }
      return (state.ended, state.dropped)
    }
    var command = command
    command.end = Self.now
    command.attributes = [("process.exit.code", .number(Int64(code)))]
    if dropped > 0 { command.attributes.append(("keyplan.dropped_spans", .number(Int64(dropped)))) }
    if code != ExitStatus.done.rawValue, code != ExitStatus.changes.rawValue { command.failure = "exit code \(code)" }
    let all = [command] + spans
    do throws(HTTPError) {
      var http = try HTTPSettings(variables: World.environment())
      http.deadline = settings.timeout
      let client = HTTPClient(http)
      for start in stride(from: 0, to: all.count, by: Self.batch) {
        let response = try await client.send(try request(Array(all[start...].prefix(Self.batch))))
        guard (200..<300).contains(response.status) else {
          return Warning("Traces not sent", "\(settings.address.host) answered with status \(response.status).")
        }
      }
      return nil
    } catch {
      return Warning("Traces not sent", "\(error).", hint: error.hint)
    }
  }

  private func request(_ spans: [Span]) throws(HTTPError) -> HTTPRequest {
    let document = TraceDocument(spans, of: context.trace, by: settings.resource, version: version)
    var request = HTTPRequest(.post, settings.address)
    // The same spans have the same ids.
    request.isRepeatable = true
    for (name, value) in settings.headers { try request.add(name, .secret(value)) }
    let text = (try? Document.text(document)) ?? ""
    request.body = HTTPBody(type: "application/json", SecretBox(Array(text.utf8)))
    return request
  }
}
