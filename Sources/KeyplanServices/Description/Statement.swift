package import KeyplanModel

extension SecretAPI {
  /// A statement of a description about the service, at one place.
  package struct Statement: Hashable, Sendable {
    /// `list`, `list/outcomes/3`, `names`.
    package let place: String
    package let subject: CitedDocument.Subject
    /// The ids of the documents that say so.
    package let sources: [String]

    package init(_ place: String, _ subject: CitedDocument.Subject, sources: [String]) {
      (self.place, self.subject, self.sources) = (place, subject, sources)
    }
  }

  /// The documents, each with the subjects of the statements that name it.
  package var citations: [CitedDocument] {
    sources.map { document in
      let named = statements.filter { $0.sources.contains(document.name) }
      var subjects = Set(named.map(\.subject))
      // A request's document also describes its answer, unless that has its own.
      if named.contains(where: { $0.subject == .request && !hasOwnAnswer($0) }) { subjects.insert(.answer) }
      return CitedDocument(document.value, of: subjects)
    }
  }

  private func hasOwnAnswer(_ request: Statement) -> Bool {
    statements.contains { $0.subject == .answer && $0.place.hasPrefix(request.place + "/entr") }
  }
}
