internal import Synchronization

/// Separates the live line from questions, which share a terminal: a plugin can ask in the middle of an apply.
enum LiveLinePause {
  private struct State {
    var isShown = false
    var questions = 0
  }

  private static let state = Mutex(State())
  private static let erase = "\r\u{1B}[K"

  /// Draws the line, or erases it if the text is empty.
  /// - Returns: false while a question is open.
  static func draw(_ text: String, on output: Output) -> Bool {
    state.withLock { state in
      guard state.questions == 0 else { return false }
      if state.isShown || !text.isEmpty { output.write(text.isEmpty ? erase : "\r\(text)\u{1B}[K") }
      state.isShown = !text.isEmpty
      return true
    }
  }

  /// Erases the line while other text or a question is shown.
  static func pausing<Value, Failure: Error>(
    on output: Output, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    state.withLock { state in
      if state.isShown { output.write(erase) }
      state.isShown = false
      state.questions += 1
    }
    defer { state.withLock { $0.questions -= 1 } }
    return try body()
  }
}
