import KeyplanHTTP

extension DAVError: CustomStringConvertible {
  /// The error and its place, in one sentence without a full stop.
  var description: String {
    switch code {
    case .credentialsRefused: "\(host) rejected the user name and password (HTTP 401)"
    case .forbidden: "\(host) does not allow this account to read this address (HTTP 403)"
    case .notFound: "\(host) has no resource at this address (HTTP 404)"
    case .elsewhere(let other) where other == host:
      "\(host) refers to another port or an unencrypted address, to which the password is not sent"
    case .elsewhere(let other): "\(host) refers to \(other), but the password is not sent to another host"
    case .busy(let status, _): "\(host) is temporarily unavailable (HTTP \(status))"
    case .notCalDAV: "\(host) responds, but is not a CalDAV server with calendars"
    case .unexpected(let status): "\(host) sent an unexpected response (HTTP \(status))"
    case .unreadable(let fault): "\(host) sent a response that cannot be read: \(fault)"
    case .exchange(let error): "\(error)"
    }
  }

  /// The hint for the user, in whole sentences; nil if nothing helps.
  var hint: String? {
    switch code {
    case .credentialsRefused:
      "Check the user name, and create a new app password at the service (iCloud and Fastmail accept no other)."
    case .forbidden: "Check the address, and that the app password covers calendars."
    case .notFound, .notCalDAV: "Check the account's url. For most services, https:// and the host are enough."
    case .elsewhere(let other): "If you trust \(other), use it in the account's url."
    case .busy: "Try again later."
    case .unreadable(.xml(.libraryMissing)): Self.installing
    case .exchange(let error) where error.code == .tooLarge: Self.shorter
    case .unreadable(.xml(.tooLarge)): Self.shorter
    case .exchange(let error): error.hint
    case .unexpected, .unreadable: nil
    }
  }

  private static let shorter = "For events, request a shorter period with --from and --to."

  #if os(macOS)
  private static let installing = "It is part of macOS."
  #else
  private static let installing = "Install it (on Debian: apt-get install libexpat1)."
  #endif
}

extension DAVError.Fault: CustomStringConvertible {
  /// A part of a sentence about a response.
  var description: String {
    switch self {
    case .xml(let fault): "\(fault)"
    case .notMultistatus: "it is not a WebDAV multistatus"
    case .address: "it contains an invalid address"
    case .endless: "its list of changes does not end"
    case .noToken: "its list of changes has no sync token"
    }
  }
}
