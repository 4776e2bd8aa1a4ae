/// How an early end is told: what, why, what to do.
enum FailureText {
  static func write(_ failure: Failure, in world: World) {
    var text = "error: \(failure.summary)\n  \(failure.detail)\n"
    if let hint = failure.hint { text += "  hint: \(hint)\n" }
    world.err.write(text)
  }
}
