/// The name of a key, as the manifest declares it.
///
/// Declare the names that a program uses once, so that a misspelt one does not compile:
///
/// ```swift
/// extension APIKeyName {
///   static let openWeatherMap = APIKeyName("openweathermap")
/// }
/// ```
///
/// `keyplan generate swift` writes these declarations from a manifest.
public struct APIKeyName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// As in the manifest.
  public let rawValue: String

  /// A name that is not checked: reading one that does not exist throws `notFound`.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The same without a label.
  public init(_ name: String) { self.init(rawValue: name) }

  /// The name.
  public var description: String { rawValue }
}
