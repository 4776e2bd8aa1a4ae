package import KeyplanDocuments
import KeyplanFiles
package import KeyplanModel
package import KeyplanPorts

/// `dotenv://path#NAME`: variables in a dotenv file. Comments, order, quotes and other names are kept.
extension DotenvDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "dotenv", help: "Variables in dotenv files. Comments, order, quotes and other names are kept.",
    reference: ReferenceGrammar(
      .file, selector: .name, example: "dotenv://path/to/file#NAME", isLocal: true, isRemovable: true,
      help: "A variable in a dotenv file. An empty one is missing."),
    target: .localFile(names: .variable))

  /// Templates contain `NAME=` for a secret that is not set, like an empty environment variable.
  package static var whenEmpty: SourceAnswer { .missing() }
}

extension DocumentSource: DoubtingSource where Content == DotenvDocument {
  /// Reads and parses each file once. A file that cannot be read yields no doubts: reading its values reports it.
  package func doubts(about references: [Reference]) -> [ValueDoubt?] {
    var doubts = [ValueDoubt?](repeating: nil, count: references.count)
    for indices in Dictionary(grouping: references.indices, by: { references[$0].container }).values {
      guard let first = indices.first, let place = context.place(of: references[first]),
        let bytes = try? place.read(limit: DocumentLimit.bytes), let document = try? DotenvDocument(bytes)
      else { continue }
      for index in indices {
        let doubt = references[index].selector.flatMap { document.doubt(about: $0) }
        doubts[index] = doubt.map { .readDifferently($0.reason) }
      }
    }
    return doubts
  }
}
