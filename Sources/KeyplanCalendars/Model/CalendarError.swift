package import KeyplanHTTP

/// The reason that a request to a calendar service failed. Contains the service's error code, but none of its texts, which may
/// quote the request.
package struct CalendarError: Error, Hashable, Sendable {
  /// The reason, for the caller to act on.
  package enum Code: Hashable, Sendable {
    /// There was no response.
    case unreachable(HTTPError)
    /// The service is overloaded, throttles requests, or had an internal error.
    case busy
    /// The response did not come from the service, or is not in the expected form.
    case notAnAnswer
    /// The number of pages exceeds the limit.
    case endless
    /// The service refers to another origin, to which the token must not be sent.
    case elsewhere

    /// The access token is not, or no longer, valid.
    case tokenRefused
    /// The user name or password is not, or no longer, valid.
    case passwordRefused
    /// The service requires the user, for example for another factor.
    case personNeeded
    /// The token belongs to another account, whose name is in `detail`.
    case otherAccount
    /// The token does not include the required scope.
    case scopeMissing
    /// The API is not enabled for the client in the service's console.
    case interfaceOff
    /// The account, or its organization, does not allow it.
    case forbidden
    /// The calendar does not, or no longer, exist.
    case notFound
    /// The sync token is no longer known.
    case resyncNeeded
    /// The service rejected the request.
    case refused
  }

  package let code: Code
  /// The status of the response, if there was one.
  package let status: Int?
  /// The service's own code, such as `accessNotConfigured`, or empty; for `otherAccount`, the account's name.
  package let detail: String
  /// The pause that the service requested.
  package let pause: Duration?
  /// The underlying CalDAV error, whose description is more specific.
  private let dav: DAVError?

  init(_ code: Code, status: Int? = nil, detail: String = "", pause: Duration? = nil) {
    self.code = code
    self.status = status
    self.detail = detail
    self.pause = pause
    dav = nil
  }

  /// The error of a CalDAV server.
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
    detail = ""
    dav = error
  }

  /// The error of the transport. This includes an invalid address or header, for which the description of `error` is
  /// the best.
  init(_ error: HTTPError) {
    switch error.code {
    case .tooLarge, .malformed: self.init(.notAnAnswer)
    default: self.init(.unreachable(error))
    }
  }
}

extension CalendarError: CustomStringConvertible {
  /// The error in one sentence without a full stop.
  package var description: String {
    if let dav { return "\(dav)" }
    if case .unreachable(let error) = code { return "\(error)" }
    let notes = [detail, status.map { "HTTP \($0)" } ?? ""].filter { !$0.isEmpty }
    return reason + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
  }

  private var reason: String {
    switch code {
    case .unreachable: "The service is unreachable"
    case .busy: "The service is temporarily unavailable"
    case .notAnAnswer: "The response did not come from the service, or is incomplete"
    case .endless: "The service's response does not end"
    case .elsewhere: "The service refers to another address, to which the account's token is not sent"
    case .tokenRefused: "The service rejected the access token"
    case .passwordRefused: "The service rejected the user name and password"
    case .personNeeded: "The service requires a new sign-in"
    case .otherAccount: "The token belongs to another account"
    case .scopeMissing: "The sign-in does not include access to the calendars"
    case .interfaceOff: "The calendar API is not enabled for this client"
    case .forbidden: "The account or its organization does not allow it"
    case .notFound: "The calendar was not found"
    case .resyncNeeded: "The service no longer knows the sync token; everything must be read again"
    case .refused: "The service rejected the request"
    }
  }

  /// The hint for the user, in a whole sentence; nil if nothing helps.
  package var hint: String? { dav.map(\.hint) ?? help }

  private var help: String? {
    switch code {
    case .unreachable(let error): error.hint
    case .busy: "Try again later."
    case .notAnAnswer, .elsewhere:
      "Check the service's address, and whether a proxy or a login page intercepts the connection."
    case .endless: "Request a shorter period."
    case .tokenRefused, .personNeeded, .otherAccount: "Sign in again."
    case .passwordRefused: "Check the user name, and update the password at its source."
    case .scopeMissing: "Sign in again and allow everything that is requested."
    case .interfaceOff: "Enable it in the service's console, in the project of the client id."
    case .forbidden: "Ask the account's administrator to allow this app."
    case .notFound: "Check the calendar's name or id, and that it is shared with this account."
    case .refused: "Check the account, and the client's settings in the service's console."
    case .resyncNeeded: nil
    }
  }
}
