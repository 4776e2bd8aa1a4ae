package import KeyplanCore
import KeyplanHTTP
internal import KeyplanSecrets

/// What became of beginning a sign-in on another device.
package enum DeviceOutcome: Sendable {
  /// Shown to the person; asked for the end meanwhile.
  case begun(DeviceSignIn)
  /// The service has said no.
  case refused(Refusal)
  /// Nothing is known.
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

/// What a person needs to sign in on another device (RFC 8628, section 3.2).
package struct DeviceSignIn: Redacted, Sendable {
  /// Where to go.
  package let address: String
  /// The same with the code in it, for a QR code; Microsoft never gives one.
  package let completeAddress: String?
  /// What to type there, as it is: its case may matter.
  package let userCode: String
  /// How long it is valid.
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

  /// They are shown in a terminal.
  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 2000 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
