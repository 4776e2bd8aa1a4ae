internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Writes to standard error, and asks at the terminal.
struct TerminalConsole: Console {
  let terminal: Terminal

  func warn(_ warning: Warning) {
    guard !warning.isRoutine || !terminal.isQuiet else { return }
    terminal.err.write(
      FailureText.warning(
        warning.summary, warning.detail, hint: warning.hint, style: terminal.style(for: terminal.err)))
  }

  func log(_ subject: String, _ value: @autoclosure () -> String) {
    if terminal.isVerbose { terminal.err.write(Glyphs.visible("\(subject): \(value())") + "\n") }
  }

  func show(_ text: String) { LiveLinePause.pausing(on: terminal.err) { terminal.err.write(text) } }

  func confirm(_ question: String) throws(Failure) -> Bool {
    try LiveLinePause.pausing(on: terminal.err) { () throws(Failure) in try Prompt.confirms(question) }
  }

  func secret(_ question: String) throws(Failure) -> SecretBox? {
    try LiveLinePause.pausing(on: terminal.err) { () throws(Failure) in try Prompt.secret(question) }
  }

  var canAsk: Bool { terminal.mayPrompt }

  func text(_ question: String) throws(Failure) -> SecretBox? {
    try LiveLinePause.pausing(on: terminal.err) { () throws(Failure) in try Prompt.text(question) }
  }

  func activity(_ line: LiveLine) -> any Activity { LiveDisplay(line, on: terminal) }

  func requireTasks() throws(Failure) { try ResourceLimits.checkThreads() }

  func cancelling<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, wasInterrupted: Bool) {
    await Interrupts.cancelling(work)
  }
}
