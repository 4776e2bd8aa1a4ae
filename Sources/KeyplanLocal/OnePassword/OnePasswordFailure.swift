import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The reason that `op` returned no value. Its exit code is always 1, so its messages decide (op 2).
struct OnePasswordFailure: Error {
  /// The answer to one reference.
  let answer: SourceAnswer
  /// Whether every other reference would fail in the same way.
  var concernsAll = false

  static let unexpected = OnePasswordFailure(answer: .unreadable("op inject returned a text of another form."))

  /// The program was not found, did not end, or wrote too much.
  static func notRun(_ reason: String) -> OnePasswordFailure {
    OnePasswordFailure(answer: .unreachable(reason), concernsAll: true)
  }

  private init(answer: SourceAnswer, concernsAll: Bool = false) {
    self.answer = answer
    self.concernsAll = concernsAll
  }

  init(_ message: SecretBox, code: Int32) {
    let text = message.withBytes { bytes in
      bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
    defer { _ = SecretBox(text) }
    func says(_ phrases: String...) -> Bool { phrases.contains { Self.contains(text, Array($0.utf8)) } }

    // First the phrases that no name in a reference can contain, since messages repeat the reference.
    if says("isn't a vault") {
      // A vault without access looks like a vault that does not exist.
      self.init(
        answer: Self.failed(
          .denied, "The account has no vault of this name, or lacks access to it.",
          hint: "Check the name with `op vault list`."))
    } else if says("isn't an item", "isn't a field") {
      self.init(answer: .missing())
    } else if says("(429)", "429:", "too many requests", "rate limit") {
      self.init(.throttled, "1Password's limit on requests is exceeded.", hint: "Wait, and try again.")
    } else if says("(403)", "403:") {
      self.init(answer: Self.failed(.denied, "The account lacks access to this item.", hint: "Grant it in 1Password."))
    } else if says(
      "(401)", "401:", "not signed in", "not currently signed in", "session expired", "no accounts configured",
      "found no accounts for filter",
      "authorization prompt dismissed", "invalid service account token", "deserializeserviceaccountauthtoken")
    {
      self.init(
        .unauthenticated, "op is not signed in.",
        hint: "Run `op signin`, or set OP_SERVICE_ACCOUNT_TOKEN or OP_CONNECT_HOST and OP_CONNECT_TOKEN.")
    } else if says("no such host", "dial tcp", "connection refused", "network is unreachable", "i/o timeout") {
      self.init(
        .unreachable, "op cannot reach 1Password.", hint: "Check the network, and OP_CONNECT_HOST if it is set.")
    } else if says("more than one item matches") {
      self.init(answer: Self.failed(.unreadable, "Several items have this name.", hint: "Use the ID of the item."))
    } else if says("does not have a field", "could not find field") {
      self.init(answer: .missing())
    } else {
      self.init(
        answer: Self.failed(
          .unreadable, "op failed with exit code \(code).", hint: "Run `op read` with the reference to see why."))
    }
  }

  private init(_ kind: AccessFailure.Kind, _ reason: String, hint: String) {
    self.init(answer: Self.failed(kind, reason, hint: hint), concernsAll: true)
  }

  private static func failed(_ kind: AccessFailure.Kind, _ reason: String, hint: String) -> SourceAnswer {
    .failed(AccessFailure(kind, reason, hint: hint))
  }

  private static func contains(_ text: [UInt8], _ phrase: [UInt8]) -> Bool {
    guard text.count >= phrase.count else { return false }
    return (0...text.count - phrase.count).contains { text[$0...].starts(with: phrase) }
  }
}
