import KeyplanHTTP

extension DAVError: CustomStringConvertible {
  /// What happened and where, in one sentence without a full stop.
  var description: String {
    switch code {
    case .credentialsRefused: "\(host) does not take this user name and password (HTTP 401)"
    case .forbidden: "\(host) does not allow this account to read there (HTTP 403)"
    case .notFound: "\(host) has nothing at this address (HTTP 404)"
    case .elsewhere(let other) where other == host:
      "\(host) leads to another port of its own, or to one without encryption, and the password is not sent there"
    case .elsewhere(let other): "\(host) leads to \(other), and the password is not sent to another host"
    case .busy(let status, _): "\(host) is busy or has a fault of its own (HTTP \(status))"
    case .notCalDAV: "\(host) answers, but names no calendars"
    case .unexpected(let status): "\(host) gave no usable answer (HTTP \(status))"
    case .unreadable(let fault): "what \(host) answered cannot be read: \(fault)"
    case .exchange(let error): "\(error)"
    }
  }

  /// What to do about it, where there is something that helps.
  var hint: String? {
    switch code {
    case .credentialsRefused:
      "check the user name, and make a new password for apps at the service: iCloud and Fastmail take no other"
    case .forbidden: "check the address, and that the password for apps covers calendars"
    case .notFound, .notCalDAV: "check the account's url; https:// and the host is enough for most services"
    case .elsewhere(let other): "if you trust \(other), name it in the account's url"
    case .busy: "try again later"
    case .unreadable(.xml(.libraryMissing)): Self.installing
    case .exchange(let error) where error.code == .tooLarge: Self.shorter
    case .unreadable(.xml(.tooLarge)): Self.shorter
    case .exchange(let error): error.hint
    case .unexpected, .unreadable: nil
    }
  }

  private static let shorter = "for events, ask for a shorter time: --from and --to"

  #if os(macOS)
  private static let installing = "it is a part of macOS"
  #else
  private static let installing = "install it, on Debian: apt-get install libexpat1"
  #endif
}

extension DAVError.Fault: CustomStringConvertible {
  /// A part of a sentence, about an answer.
  var description: String {
    switch self {
    case .xml(let fault): "\(fault)"
    case .notMultistatus: "it is not an answer in WebDAV's form"
    case .address: "it leads to something that is no address"
    case .endless: "its list of changes has no end"
    case .noToken: "its list of changes has no token"
    }
  }
}
