import KeyplanModel

/// A path to values in an answer: a JSON Pointer (RFC 6901) in which `*` matches all elements or members. Indices
/// are not supported, because services do not guarantee an order.
package struct AnswerPointer: Hashable, Sendable {
  package enum Segment: Hashable, Sendable {
    case member(String)
    case each
  }

  package enum Fault: Error, Hashable { case syntax, index }

  package let segments: [Segment]

  /// The whole answer.
  package static let root = AnswerPointer()

  private init() { segments = [] }

  package init(_ text: String) throws(Fault) {
    guard text.isEmpty || text.hasPrefix("/") else { throw .syntax }
    var segments: [Segment] = []
    for token in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      if token == "*" {
        segments.append(.each)
        continue
      }
      guard !token.utf8.allSatisfy({ (0x30...0x39).contains($0) }) || token.isEmpty else { throw .index }
      guard let name = try? NestedName("/\(token)") else { throw .syntax }
      segments += name.parts.map { .member($0) }
    }
    self.segments = segments
  }
}

/// The extraction of one value from an answer.
package struct Extract: Hashable, Sendable {
  package enum Origin: Hashable, Sendable {
    case pointer(AnswerPointer)
    /// `@key`: the member's name.
    case key
  }

  package enum Decoding: String, Hashable, Sendable, CaseIterable {
    case base64
    /// The part after the last `/`.
    case lastSegment
    /// The part between the last `#` and the next `:`.
    case upToColon
  }

  package var origin: Origin
  /// The selection of the element that `origin` starts from.
  package var selection: Selection?
  package var decode: [Decoding] = []
  /// The checksum that the decoded value must have, if the answer has one.
  package var crc32c: AnswerPointer?

  package init(_ origin: Origin) { self.origin = origin }

  /// The one element of a list that matches.
  package struct Selection: Hashable, Sendable {
    package let list: AnswerPointer
    package let match: Match
  }
}

/// Conditions on an answer: each pointer must lead to one of its values.
package struct Match: Hashable, Sendable {
  package enum Wanted: Hashable, Sendable {
    /// Also in an array, as one of its elements. If the variable has no value, nothing may be found.
    case text(Template)
    /// Null also matches an absent value.
    case literal(JSONLiteral)
  }

  package struct Condition: Hashable, Sendable {
    package let pointer: AnswerPointer
    package let wanted: [Wanted]
  }

  package var conditions: [Condition] = []
}

extension Match {
  /// The names of all variables.
  package var variables: Set<String> {
    conditions.reduce(into: []) { names, condition in
      for case .text(let template) in condition.wanted { names.formUnion(template.variables) }
    }
  }
}

/// Conditions that an answer must match exactly: nothing more, nothing less.
package struct ExactMatch: Hashable, Sendable {
  package var conditions: [Condition] = []

  package struct Condition: Hashable, Sendable {
    package let pointer: AnswerPointer
    package let value: BodyTree
  }
}
