package import KeyplanModel

extension DescriptionReader {
  /// The documents by their ids. Statements are read after them.
  mutating func documents(_ written: Written?) -> [Named<String>] {
    guard let written, let members = members(written) else { return [] }
    documents = Set(members.all.map(\.name))
    return members.all.compactMap { id, value in text(value).map { Named(id, $0) } }
  }

  /// Records a statement and its sources: an id of a document, or a list of ids.
  package mutating func state(_ subject: CitedDocument.Subject, at written: Written, from source: Written?) {
    let ids = source.map { oneOrMore($0) }?.compactMap { item -> String? in
      guard let id = text(item) else { return nil }
      if !documents.contains(id) { report(.unknownSource(id), at: item) }
      return id
    }
    statements.append(SecretAPI.Statement(String(written.path.dropFirst()), subject, sources: ids ?? []))
  }

  /// Records the sources of an answer that has its own.
  mutating func answer(_ members: WrittenMembers) {
    if let source = members["source"] { state(.answer, at: members.object, from: source) }
  }

  /// Reports documents that no statement names.
  mutating func checkSources(_ written: Written?) {
    // A description with a fault may not have been read completely.
    guard faults.isEmpty, let written, let members = members(written) else { return }
    let named = statements.reduce(into: Set<String>()) { $0.formUnion($1.sources) }
    for (id, value) in members.all where !named.contains(id) { report(.unusedSource(id), at: value) }
  }
}
