/// The reason that there is no value.
public struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of errors that a program can distinguish.
  public enum Reason: String, Hashable, Sendable {
    /// No source has it. A cached value was removed.
    case notFound
    /// The source has a record for it, which lacks the field with the value.
    case missingField
    /// No source could be asked, and there is no cached value that may still be served.
    case unreachable
    /// The value is past its end, and is not served any more.
    case expired
    /// A source refuses to give it, or the value was revoked. A cached value was removed.
    case denied
    /// The source answered, but not in a usable way.
    case backend
    /// The calling task was cancelled.
    case cancelled
  }

  /// The kind of error.
  public let reason: Reason
  /// The item that was to be read; nil if nothing can be read.
  public let item: ReadItem?
  /// For people, in one or two sentences; without a value.
  public let detail: String
  /// The fix, if it is known.
  public let hint: String?

  /// For third-party sources and tests.
  public init(_ reason: Reason, _ item: ReadItem?, _ detail: String, hint: String? = nil) {
    (self.reason, self.item, self.detail, self.hint) = (reason, item, detail, hint)
  }

  /// In one or two sentences, for people.
  public var description: String {
    "\(item.map { "\($0)" } ?? "Keys") cannot be read (\(reason.rawValue)): \(detail)" + (hint.map { " \($0)" } ?? "")
  }
}
