public import KeyplanCore
public import KeyplanSecrets

/// A kind of place that secrets are read from. Asking changes nothing out there.
public protocol SecretSource: Sendable {
  /// How references to it look.
  var scheme: SourceScheme { get }

  /// Reads many references at once, so that one file is read once, a command is run once and a service is asked in batches,
  /// however many references lead there or are the same.
  /// The answers stand in the order of the references; there is always one for each.
  func read(_ references: [Reference]) async -> [SourceAnswer]
}

/// A source that can give a file as it is, and not only what can be a key: other programs keep their tokens in files that
/// are no text.
public protocol FileGiving: SecretSource {
  /// The same as `read`, to the last byte and whatever the bytes are.
  func readFiles(_ references: [Reference]) async -> [SourceAnswer]
}

/// What a source said to one reference. The three ways of having no value are never mixed up.
public enum SourceAnswer: Sendable {
  /// There it is.
  case value(SharedSecret)
  /// It answered, and it has no such secret.
  case missing
  /// It could not be asked; the reason is a sentence without a value.
  case unreachable(String)
  /// It answered with something that cannot be used; the reason is a sentence without a value.
  case unreadable(String)
}
