/// Something a person must know: an error or a warning, with its place and what to do about it. Never holds a value.
public struct Diagnostic: Hashable, Sendable, Codable {
  /// What it is, for programs; the summary is the same words every time.
  public let code: Code
  /// Whole sentences about this one case.
  public let detail: String
  /// What to do, if that can be said.
  public let hint: String?
  /// Where in the manifest.
  public let place: FileLocation?
  /// What it blocks or concerns.
  public let address: Address?
  /// What it has in common with others; nil where the detail says it.
  public let cause: Cause?
  /// Why a place could not be asked or used, where that is what it is about.
  public let failure: AccessFailure.Kind?

  /// Nothing is checked.
  public init(
    _ code: Code, _ detail: String, hint: String? = nil, at place: FileLocation? = nil, of address: Address? = nil,
    because cause: Cause? = nil, failure: AccessFailure.Kind? = nil
  ) {
    self.cause = cause
    self.code = code
    self.detail = detail
    self.hint = hint
    self.place = place
    self.address = address
    self.failure = failure
  }

  /// Where something failed outside.
  enum Side { case source, target }

  /// What failed outside, in these words.
  init(
    _ failure: AccessFailure, at side: Side, _ detail: String, hint: String? = nil, at place: FileLocation? = nil,
    of address: Address? = nil, because cause: Cause? = nil
  ) {
    let code: Code =
      switch side {
      case .source: failure.kind.isOutage ? .sourceUnreachable : .sourceUnreadable
      case .target: failure.kind.isOutage ? .targetUnreachable : .targetUnreadable
      }
    self.init(
      code, detail, hint: hint ?? failure.hint, at: place, of: address, because: cause, failure: failure.kind)
  }

  /// A fault outside that gives a diagnostic for each key or name that meets it: a file that cannot be parsed.
  public struct Cause: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What is at fault, such as `dotenv://.env`.
    public let subject: String
    /// A sentence, or more.
    public let reason: String

    /// Nothing is checked.
    public init(_ subject: String, _ reason: String) {
      self.subject = subject
      self.reason = reason
    }

    /// `dotenv://.env: Line 4: the quote has no end.`
    public var description: String { "\(subject): \(reason)" }
  }

  /// How bad it is.
  public enum Severity: String, Sendable, Codable {
    /// Something does not happen because of it.
    case error
    /// Everything happens all the same.
    case warning
  }

  /// What an error means for the rest of the plan.
  public enum Reach: Sendable {
    /// Nothing is planned or applied.
    case everything
    /// Its own address, and what depends on that.
    case itself
  }
}

extension Diagnostic: Comparable {
  /// Errors first, then by place, address and words: the same order on every machine.
  public static func < (left: Self, right: Self) -> Bool {
    if left.code.severity != right.code.severity { return left.code.severity == .error }
    if left.place != right.place {
      guard let place = left.place, let other = right.place else { return left.place != nil }
      return place < other
    }
    if left.address != right.address {
      guard let address = left.address, let other = right.address else { return left.address != nil }
      return address < other
    }
    return (left.code.rawValue, left.detail) < (right.code.rawValue, right.detail)
  }
}
