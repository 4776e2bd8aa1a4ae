import KeyplanHTTP
package import KeyplanModel
internal import KeyplanSecrets

/// The result of starting a sign-in on another device.
package enum DeviceOutcome: Sendable {
  /// Started: the code must be displayed while the token endpoint is polled.
  case begun(DeviceSignIn)
  /// The service refused.
  case refused(Refusal)
  /// The result is unknown.
  case unavailable(Unavailable)

  init(_ response: HTTPResponse) {
    let answer = ServiceAnswer(response)
    if answer.status == 200, answer.error == nil {
      self = DeviceSignIn(answer).map { .begun($0) } ?? .unavailable(Unavailable(.notAnAnswer(status: 200)))
      return
    }
    switch Verdict(answer) {
    case .unavailable(let unavailable): self = .unavailable(unavailable)
    case .refused(let code):
      let reason = Refusal.Reason(code, suberror: answer.suberror, to: .clientCredentials(scopes: []))
      self = .refused(Refusal(reason, code: code, suberror: answer.suberror, numbers: answer.numbers))
    }
  }
}

/// The data that the user needs to sign in on another device (RFC 8628, section 3.2).
package struct DeviceSignIn: Redacted, Sendable {
  /// The address to open.
  package let address: String
  /// The address including the code, for a QR code; Microsoft never sends one.
  package let completeAddress: String?
  /// The code to type there, unchanged: it may be case-sensitive.
  package let userCode: String
  /// The lifetime of the code.
  package let lifetime: Interval
  let interval: Interval
  let code: SecretBox

  init?(_ answer: ServiceAnswer) {
    // `verification_url` is Google's.
    guard let code = answer.secret("device_code"), let userCode = answer.text("user_code"),
      let address = answer.text("verification_uri") ?? answer.text("verification_url"),
      ([address, userCode] + [answer.text("verification_uri_complete")].compactMap(\.self)).allSatisfy(Self.isPlain)
    else { return nil }
    self.code = code
    self.userCode = userCode
    self.address = address
    completeAddress = answer.text("verification_uri_complete")
    lifetime = Interval(seconds: answer.seconds("expires_in") ?? 900)
    interval = Interval(seconds: max(1, answer.seconds("interval") ?? 5))
  }

  /// The texts are displayed in a terminal.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 2000 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
