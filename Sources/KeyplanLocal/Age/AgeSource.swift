package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// `age://path`: a file that age encrypted, binary or armored; of a single line without the line break at its end.
package struct AgeSource: RawFileSource {
  package static let backend = BackendDescription(
    "age", help: "Files that age encrypted to native recipients or SSH keys, binary or armored.", isEncrypted: true,
    reference: ReferenceGrammar(
      .file, example: "age://path/to/file.age", isLocal: false,
      help:
        "The content of a file. The line break at the end of a single line is dropped. It is decrypted with the identities in "
        + "\(AgeIdentities.places). The identity that opens keyplan's store is not used."))
  private let context: SourceContext
  /// 1 MiB in base64, with a header of any usual size.
  private static let limit = 2 << 20

  /// Relative paths are resolved in the context's folder.
  package init(_ context: SourceContext) { self.context = context }

  package var backend: BackendDescription { Self.backend }

  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    decrypting(references) { SourceAnswer(text: $0) }
  }

  package func readFiles(_ references: [Reference]) async -> [SourceAnswer] {
    decrypting(references) { SourceAnswer(file: $0) }
  }

  private func decrypting(_ references: [Reference], _ answer: (SecretBox) -> SourceAnswer) -> [SourceAnswer] {
    let identities: Result<AgeIdentities, AccessFailure> = Result { () throws(AccessFailure) in
      try AgeIdentities(context)
    }
    return context.read(references, limit: Self.limit) { file, references in
      let found: SourceAnswer
      do throws(AccessFailure) {
        found = answer(SecretBox(try identities.get().decrypt(file)))
      } catch {
        found = .failed(error)
      }
      return Array(repeating: found, count: references.count)
    }
  }
}
