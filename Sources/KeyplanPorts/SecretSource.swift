package import KeyplanModel
package import KeyplanSecrets

/// A kind of place that secrets are read from. Reading changes nothing there.
package protocol SecretSource: Sendable {
  /// The name of its backend, and the form of references to it.
  var backend: BackendDescription { get }

  /// The connection that it uses; nil for a backend of this machine.
  var connection: Connection? { get }

  /// Reads many references together, so that one file is read once, a command is run once and a service is queried in batches, even if
  /// several references name the same place.
  /// The answers are in the order of the references, exactly one for each.
  func read(_ references: [Reference]) async -> [SourceAnswer]
}

extension SecretSource {
  /// None.
  package var connection: Connection? { nil }

  /// The scheme of the references that it answers.
  package var scheme: String { connection?.name.name ?? backend.name }
}

/// A source that can return the raw bytes of a file, and not only valid values of keys: other programs keep their tokens in files that are
/// not text.
package protocol RawFileSource: SecretSource {
  /// The same as `read`, for the complete bytes, whatever they are.
  func readFiles(_ references: [Reference]) async -> [SourceAnswer]
}

/// A source of files that other programs read, too, and may read differently.
package protocol DoubtingSource: SecretSource {
  /// Whether other programs read another value there: one answer for each reference, in their order.
  func doubts(about references: [Reference]) -> [ValueDoubt?]
}

/// The answer of a source for one reference. Only a definite *not there* is missing.
package enum SourceAnswer: Sendable {
  /// There it is.
  case value(SecretBox)
  /// It answered, and it has no such secret; the reason is a sentence.
  case missing(reason: String? = nil)
  /// Whether it has one is not known.
  case failed(AccessFailure)

  /// It was unreachable; the reason is a sentence without a value.
  package static func unreachable(_ reason: String) -> SourceAnswer { .failed(AccessFailure(.unreachable, reason)) }

  /// It answered with something that cannot be used; the reason is a sentence without a value.
  package static func unreadable(_ reason: String) -> SourceAnswer { .failed(AccessFailure(.unreadable, reason)) }
}
