/// The name of a calendar account.
public struct AccountName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// As in the manifest.
  public let rawValue: String

  /// A name that is not checked: reading one that does not exist throws `notFound`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The same without a label.
  public init(_ name: String) { self.init(rawValue: name) }

  /// The name.
  public var description: String { rawValue }
}
