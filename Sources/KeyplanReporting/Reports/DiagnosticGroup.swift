internal import KeyplanModel
package import KeyplanPlanning

/// Diagnostics that have one cause: the same words, or the same failure of one source.
package struct DiagnosticGroup: Sendable {
  /// The one that is shown completely.
  package let first: Diagnostic
  /// The rest, in their order.
  package private(set) var others: [Diagnostic] = []

  private let message: Message

  package init(_ first: Diagnostic) { self.init(first, first.message) }

  private init(_ first: Diagnostic, _ message: Message) {
    self.first = first
    self.message = message
  }

  /// The number of places of a group that are shown.
  package static let shown = 5
  /// The number of groups of one code in one file that are shown.
  package static let groupsShown = 20

  /// The common text. With several, the subject of each is left to the list of places.
  package var detail: String { others.isEmpty ? message.detail : first.cause?.words ?? message.detail }
  /// The hint for the first of them.
  package var hint: String? { message.hint }

  /// `key.b, key.c and 7 more`, or the places of diagnostics without an address; nil for a single one.
  package var also: String? {
    guard !others.isEmpty else { return nil }
    var isNamed: Set<Address> = first.address.map { [$0] } ?? []
    let names = others.compactMap { other in
      if let address = other.address, isNamed.insert(address).inserted { return address.description }
      return other.place.map { "\($0)" }
    }
    return names.isEmpty ? nil : Spans.list(names, showing: Self.shown - 1)
  }

  /// The address of the first one, or its place in the manifest.
  package var subject: String? { first.address?.description ?? first.place.map { "\($0)" } }

  /// Groups with one summary and one remedy, in the order of the first of each.
  package static func byRemedy(_ groups: [DiagnosticGroup]) -> [[DiagnosticGroup]] {
    groups.groupedInOrder {
      Remedy(severity: $0.first.code.severity, summary: $0.first.summary, hint: $0.hint)
    }
  }

  private struct Remedy: Hashable {
    let severity: Diagnostic.Severity
    let summary: String
    let hint: String?
  }

  /// Groups by cause.
  /// - Parameter showsAll: makes a group for each diagnostic.
  /// - Returns: the groups in the order of their first diagnostics, and the omitted ones beyond the limits.
  package static func grouped(
    _ diagnostics: [Diagnostic], showsAll: Bool
  ) -> (groups: [DiagnosticGroup], left: [Left]) {
    guard !showsAll else { return (diagnostics.map { DiagnosticGroup($0) }, []) }
    var groups: [DiagnosticGroup] = []
    var indices: [Key: Int] = [:]
    var counts: [Family: (shown: Int, left: Int)] = [:]
    var families: [Family] = []
    for diagnostic in diagnostics {
      let message = diagnostic.message
      let key = Key(diagnostic, message)
      if let index = indices[key] {
        groups[index].others.append(diagnostic)
        continue
      }
      if counts[key.family] == nil { families.append(key.family) }
      var count = counts[key.family] ?? (0, 0)
      if count.shown < Self.groupsShown {
        count.shown += 1
        indices[key] = groups.count
        groups.append(DiagnosticGroup(diagnostic, message))
      } else {
        count.left += 1
      }
      counts[key.family] = count
    }
    let left = families.compactMap { family in
      counts[family].flatMap { $0.left > 0 ? Left(code: family.code, file: family.file, count: $0.left) : nil }
    }
    return (groups, left)
  }

  /// Diagnostics of one code in one file, beyond those that are shown.
  package struct Left: Sendable {
    package let code: Diagnostic.Code
    package let file: String?
    package let count: Int

    /// `and 9,995 more in keyplan.yaml: Undeclared name`
    package var words: String {
      "and \(Spans.number(count)) more\(file.map { " in \($0)" } ?? ""): \(code.summary)"
    }
  }

  private struct Family: Hashable {
    let code: Diagnostic.Code
    let file: String?
  }

  private struct Key: Hashable {
    let family: Family
    let words: String
    let hint: String?

    init(_ diagnostic: Diagnostic, _ message: Message) {
      family = Family(code: diagnostic.code, file: diagnostic.place?.file)
      words = diagnostic.cause?.words ?? message.detail
      hint = message.hint
    }
  }
}
