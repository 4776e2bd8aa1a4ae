import KeyplanDocuments
package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// `sops://path#/a/b`: a value in a file that SOPS encrypted.
package struct SOPSSource: SecretSource {
  package static let backend = BackendDescription(
    "sops", title: "SOPS",
    help:
      "Values in YAML, JSON and dotenv files that SOPS encrypts to age recipients. Names, order and comments are kept.",
    isEncrypted: true,
    reference: ReferenceGrammar(
      .file, selector: .pointer, example: "sops://path/to/secrets.yaml#/outer/inner", isLocal: false,
      help:
        "A value in an encrypted file: a JSON Pointer (RFC 6901), or a name at the top level. It is decrypted with the "
        + "identities in \(AgeIdentities.places), and only if the file's MAC is correct."),
    target: .encryptedFile(names: .nested, example: "path/to/secrets.yaml"))
  private let context: SourceContext

  /// Relative paths are resolved in the context's folder.
  package init(_ context: SourceContext) { self.context = context }

  package var backend: BackendDescription { Self.backend }

  /// Reads and decrypts each file once.
  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    let identities = OnceIdentities(context)
    return context.read(references, limit: DocumentLimit.bytes) { bytes, references in
      do throws(AccessFailure) {
        let document = try SOPSDocument(
          bytes, at: references.first?.location ?? "", identities.get, now: { Moment(seconds: 0) })
        return references.map { document.answer(to: $0, whenEmpty: .empty) }
      } catch {
        return Array(repeating: .failed(error), count: references.count)
      }
    }
  }

  /// The target of this type.
  /// - Parameter now: the time that is recorded in a file with a change.
  package static func target(
    _ context: TargetContext, now: @escaping @Sendable () -> Moment
  ) -> some SecretTarget {
    FileTarget<SOPSDocument>(context, backend) { (bytes, path) throws(AccessFailure) in
      try SOPSDocument(bytes, at: path, OnceIdentities(context.programs).get, now: now)
    }
  }
}

/// Identities that are read when the first file requires them.
private final class OnceIdentities {
  private let context: SourceContext
  private var found: Result<AgeIdentities, AccessFailure>?

  init(_ context: SourceContext) { self.context = context }

  func get() throws(AccessFailure) -> AgeIdentities {
    let result =
      found
      ?? Result { () throws(AccessFailure) in try AgeIdentities(context) }
    found = result
    return try result.get()
  }
}
