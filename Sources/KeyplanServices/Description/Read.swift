extension SecretAPI {
  /// A request that reads secrets.
  package struct Read: Hashable, Sendable {
    package var request: Request
    package var shape: Shape
    package var pages: Pages?
    /// The maximum number of names in one request.
    package var most: Int?
    /// Whether a name that the answer leaves out is missing.
    package var omitsMissing = false
    package var failed: Failures?

    package enum Shape: Hashable, Sendable {
      /// Several lists of entries.
      case entries([Entries])
      /// One entry, which is the whole answer.
      case entry(EntryShape)
    }

    package var entries: [Entries] { if case .entries(let entries) = shape { entries } else { [] } }

    /// The extracts of all shapes.
    package var shapes: [EntryShape] {
      switch shape {
      case .entries(let entries): entries.map(\.shape)
      case .entry(let shape): [shape]
      }
    }
  }

  /// A list or an object of entries in an answer.
  package struct Entries: Hashable, Sendable {
    package var each: AnswerPointer
    package var shape: EntryShape
    /// Conditions that every answer of this service meets, so that another service's answer does not read as an empty list.
    package var expect = Match()
    /// Conditions for entries that belong to the place.
    package var match = Match()
    /// Whether the place inherits the entries. Its own, from other lists, take precedence; of two inherited ones, the last.
    package var isInherited = false
    /// Whether an entry without a name is left out. Otherwise it is an answer in another form.
    package var mayLackName = false
    /// Whether an answer without the list has no entries.
    package var absentIsEmpty = false
    /// The version of all entries together.
    package var commonVersion: AnswerPointer?

    /// Whether the entries are the members of an object, by name.
    package var isObject: Bool { shape.name?.origin == .key }
  }

  /// The values taken from one entry.
  package struct EntryShape: Hashable, Sendable {
    package var name: Extract?
    package var value: Extract?
    package var id: Extract?
    /// A value that changes with each write, compared only for equality.
    package var mark: Extract?
    package var version: Extract?
    /// The condition under which an entry does not show its value.
    package var writeOnlyIf: Match?
    /// The condition under which an entry has no value at this place: it reads as missing, and is updated, not created.
    package var vacantIf: Match?
    /// The condition under which an entry has a value.
    package var vacantUnless: Match?
    /// The condition under which an entry may be changed; others also serve another place.
    package var writableIf: ExactMatch?

    /// The names of all variables in conditions.
    package var variables: Set<String> {
      var names: Set<String> = []
      for match in [writeOnlyIf, vacantIf, vacantUnless] { names.formUnion(match?.variables ?? []) }
      for extract in [name, value, id, mark, version] { names.formUnion(extract?.selection?.match.variables ?? []) }
      for condition in writableIf?.conditions ?? [] { names.formUnion(condition.value.variables) }
      return names
    }
  }

  /// Names that failed alone in an answer that is a success.
  package struct Failures: Hashable, Sendable {
    package var each: AnswerPointer
    /// The name in each element; nil where the element is the name.
    package var name: Extract?
    package var code: Extract?
    /// The meanings of codes; other codes are refusals.
    package var codes: [Named<AnswerClass>] = []
    /// The meaning of all of them.
    package var then: AnswerClass?
  }

  /// The location of a list's next page.
  package struct Pages: Hashable, Sendable {
    package enum Next: Hashable, Sendable {
      /// The address in the header `Link` with this relation (RFC 8288).
      case link(relation: String)
      /// A header with a cursor.
      case header(String, query: String)
      /// A cursor in the answer.
      case pointer(AnswerPointer, query: String)
      /// An address in the answer.
      case url(AnswerPointer)
      /// A cursor in the last entry.
      case last(AnswerPointer, query: String)
      /// The number of pages in the answer; pages are numbered from 1.
      case number(AnswerPointer, query: String)
      /// Nothing in the answer: the number of the page, and the list ends with an empty one.
      case page(first: Int, query: String)
      /// Nothing in the answer: the number of entries so far, and the list ends with an empty page.
      case offset(query: String)
    }

    package var next: Next
    /// Whether there is another page, where the answer says so besides.
    package var more: AnswerPointer?
    package var most = 100
  }
}
