internal import KeyplanOperations
internal import KeyplanReporting
internal import Synchronization

/// Shows and removes the live line if standard error is a terminal, and makes spans of running work.
final class LiveDisplay: Activity {
  /// Whether the line is shown.
  let isLive: Bool
  private let line: Mutex<LiveLine>
  private let style: Style
  private let output: Output
  private let trace: Trace?

  /// Short operations show nothing; after that, the line is drawn at most this often, however many steps end in between.
  private static let (patience, pace) = (Duration.milliseconds(300), Duration.milliseconds(100))

  init(_ line: LiveLine, on terminal: Terminal) {
    self.line = Mutex(line)
    (output, trace) = (terminal.err, terminal.trace)
    style = terminal.style(for: terminal.err)
    isLive =
      terminal.err.isTerminal && World.variable("TERM") != "dumb" && !terminal.isQuiet && !terminal.isJSON
  }

  /// Changes the text of the line.
  func change(_ body: (inout LiveLine) -> Void) {
    guard isLive || trace != nil else { return }
    line.withLock { line in
      let before = line.waiting
      body(&line)
      trace?.changed(from: before, to: line.waiting)
    }
  }

  /// Records the reason that running work fails.
  func fails(_ name: String, _ reason: String) { trace?.fails(name, reason) }

  /// Does the work with the line in view.
  func showing<Value>(_ work: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    let waiting = line.withLock { $0.waiting }
    trace?.changed(from: [], to: waiting)
    defer { trace?.changed(from: waiting, to: []) }
    guard isLive else { return try await work() }
    let drawing = Task { await draw() }
    let result: Result<Value, Failure>
    do throws(Failure) { result = .success(try await work()) } catch { result = .failure(error) }
    drawing.cancel()
    await drawing.value
    return try result.get()
  }

  private func draw() async {
    try? await Task.sleep(for: Self.patience)
    var shown = ""
    while !Task.isCancelled {
      let text = line.withLock { $0 }.text(style)
      if text != shown { shown = LiveLinePause.draw(text, on: output) ? text : "" }
      try? await Task.sleep(for: Self.pace)
    }
    _ = LiveLinePause.draw("", on: output)
  }
}
