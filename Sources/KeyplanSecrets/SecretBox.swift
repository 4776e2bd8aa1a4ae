/// A value that may be copied but must not be displayed: description, debug description and mirror reveal nothing of
/// it, not even a masked prefix.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// A constant text, whatever the value.
  public var description: String { "(secret)" }

  /// The same text as `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` and reflection show nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A secret that several tasks share, such as the result of one fetch that contains many keys. Zeroed with the last
/// reference.
public final class SecretBox: Sendable, Redacted {
  private let secret: Secret

  /// Takes ownership of the secret.
  public init(_ secret: consuming Secret) { self.secret = secret }

  /// Takes ownership of the bytes, as `Secret` does.
  public convenience init(_ bytes: consuming [UInt8]) { self.init(Secret(bytes)) }

  /// The number of bytes.
  public var count: Int { secret.count }

  /// Calls `body` with the bytes. The pointer is invalid after the call.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try secret.withBytes(body)
  }

  /// Compares in constant time, which depends only on the lengths.
  public func equals(_ other: SecretBox) -> Bool { secret.equals(other.secret) }
}
