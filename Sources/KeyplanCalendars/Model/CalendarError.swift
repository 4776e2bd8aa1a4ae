package import KeyplanHTTP

/// Why a service did not give what it was asked for. It names the service's own code, and nothing else of its words:
/// they may quote what was sent.
package struct CalendarError: Error, Hashable, Sendable {
  /// The reason, to act on.
  package enum Code: Hashable, Sendable {
    /// There was no answer.
    case unreachable(HTTPError)
    /// Too much was asked of the service, or it has a fault of its own.
    case busy
    /// What answered was not the service, or did not speak its language.
    case notAnAnswer
    /// Its pages have no end.
    case endless
    /// It sends us elsewhere, where the token must not go.
    case elsewhere

    /// The access token is not valid, or not any more.
    case tokenRefused
    /// User name or password are not valid, or not any more.
    case passwordRefused
    /// The service wants the person: another factor, another device.
    case personNeeded
    /// The token is somebody else's, whose name is in `said`.
    case otherAccount
    /// The token is valid, but not for this.
    case scopeMissing
    /// The interface is not switched on for the client in the service's console.
    case interfaceOff
    /// The account, or its organization, does not allow it.
    case forbidden
    /// The calendar is not there, or not any more.
    case notFound
    /// The sync token is not known any more.
    case resyncNeeded
    /// The service does not take the request.
    case refused
  }

  /// The reason.
  package let code: Code
  /// The answer's status, where there was an answer.
  package let status: Int?
  /// The service's own code, such as `accessNotConfigured`; empty where it gave none.
  package let said: String
  /// How long the service wants to be left alone.
  package let pause: Duration?
  /// What a CalDAV client said of it, whose words say more than ours.
  private let dav: DAVError?

  init(_ code: Code, status: Int? = nil, said: String = "", pause: Duration? = nil) {
    self.code = code
    self.status = status
    self.said = said
    self.pause = pause
    dav = nil
  }

  /// Of a CalDAV server.
  init(_ error: DAVError) {
    (code, status, pause) =
      switch error.code {
      case .credentialsRefused: (.passwordRefused, 401, nil)
      case .forbidden: (.forbidden, 403, nil)
      case .notFound: (.notFound, 404, nil)
      case .elsewhere: (.elsewhere, nil, nil)
      case .busy(let status, let pause): (.busy, status, pause)
      case .unexpected(let status): (.refused, status, nil)
      case .notCalDAV, .unreadable: (.notAnAnswer, nil, nil)
      case .exchange(let error): (CalendarError(error).code, nil, nil)
      }
    said = ""
    dav = error
  }

  /// Of the way there, or of what came back on it. An address or a header that cannot be sent counts as the first: there
  /// the words of the error say more than any of ours.
  init(_ error: HTTPError) {
    switch error.code {
    case .tooLarge, .malformed: self.init(.notAnAnswer)
    default: self.init(.unreachable(error))
    }
  }
}

extension CalendarError: CustomStringConvertible {
  /// What happened, in one sentence without a full stop.
  package var description: String {
    if let dav { return "\(dav)" }
    if case .unreachable(let error) = code { return "\(error)" }
    let notes = [said, status.map { "HTTP \($0)" } ?? ""].filter { !$0.isEmpty }
    return words + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
  }

  private var words: String {
    switch code {
    case .unreachable: "the service could not be reached"
    case .busy: "the service cannot answer now"
    case .notAnAnswer: "something else than the service answered, or only a part of its answer came"
    case .endless: "the service's answer does not come to an end"
    case .elsewhere: "the service refers to another address, where the account's token is not sent"
    case .tokenRefused: "the service does not accept the access token"
    case .passwordRefused: "the service does not accept the user name and password"
    case .personNeeded: "the service wants the person to sign in again"
    case .otherAccount: "the service answers for another account"
    case .scopeMissing: "the sign-in does not cover reading the calendars"
    case .interfaceOff: "the calendar interface is not switched on for this client"
    case .forbidden: "the account or its organization does not allow it"
    case .notFound: "the calendar is not there"
    case .resyncNeeded: "the service has forgotten what it told last, and wants to be asked for everything"
    case .refused: "the service does not take the request"
    }
  }

  /// What to do about it, where something helps.
  package var hint: String? { dav.map(\.hint) ?? help }

  private var help: String? {
    switch code {
    case .unreachable(let error): error.hint
    case .busy: "try again later"
    case .notAnAnswer, .elsewhere: "check the service's address, and whether a proxy or a sign-in page is in the way"
    case .endless: "ask for a shorter time"
    case .tokenRefused, .personNeeded, .otherAccount: "sign in again"
    case .passwordRefused: "check the user name, and put the password that is valid now where it is taken from"
    case .scopeMissing: "sign in again and agree to all that is asked"
    case .interfaceOff: "switch it on in the service's console, for the project that the client id belongs to"
    case .forbidden: "ask whoever administers the account to allow this app"
    case .notFound: "check the calendar's name or id, and that it is shared with this account"
    case .refused: "check the account, and the client's settings in the service's console"
    case .resyncNeeded: nil
    }
  }
}
