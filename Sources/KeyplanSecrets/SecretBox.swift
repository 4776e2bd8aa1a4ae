/// For values that must be copied and must not be seen: description, debug description and mirror show nothing of them,
/// not even a masked prefix.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The same few characters whatever is inside.
  public var description: String { "(secret)" }

  /// As `description`.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` and reflection find nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A secret that several tasks hold at once, as one fetch that answers many keys does. Zeroed with its last holder.
public final class SecretBox: Sendable, Redacted {
  private let secret: Secret

  /// Takes the secret over.
  public init(_ secret: consuming Secret) { self.secret = secret }

  /// Takes the bytes over, as `Secret` does.
  public convenience init(_ bytes: consuming [UInt8]) { self.init(Secret(bytes)) }

  /// How many bytes there are.
  public var count: Int { secret.count }

  /// Lends the bytes. The pointer must not leave the call.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try secret.withBytes(body)
  }

  /// Compares in time that depends on the lengths alone.
  public func equals(_ other: SecretBox) -> Bool { secret.equals(other.secret) }
}
