internal import KeyplanModel
internal import KeyplanPlanning

/// The findings, grouped by cause: the same kind of finding with the same fix.
extension InventoryPage {
  /// The number of findings of one cause that are listed.
  private static let shown = 20

  var attention: String {
    let causes = causes + unchecked
    let left = causes.isEmpty ? "" : report.drift.unchecked
    let sum = ([report.drift.counts.joined(separator: ", "), left].filter { !$0.isEmpty }).joined(separator: ". ")
    return section(
      "attention", "Needs attention",
      causes.isEmpty
        ? "<p class=good>\(report.drift.nothing(style))" : causes.joined(separator: "\n"),
      beside: sum.isEmpty ? "" : "<p>\(sum)")
  }

  private struct Cause: Hashable {
    let level: Finding.Level
    let kind: Finding.Kind
    let consequence: String?
    let command: String?
    let fix: String
  }

  private var causes: [String] {
    let items = FindingGroup.grouped(report.drift.findings, showsAll: false).map { group in
      let words = FindingMessages(group, style: style)
      let first = group.first
      // The consequence for a target is the same for each of its names, and differs from target to target.
      let isOfPlace = [.targetChanged, .targetMissing, .targetRewritten, .targetBehind].contains(first.kind)
      let cause = Cause(
        level: first.level, kind: first.kind, consequence: isOfPlace ? nil : words.consequence,
        command: words.command, fix: isOfPlace ? "writes the recorded values" : words.fix)
      return (cause: cause, group: group, words: words)
    }
    return items.groupedInOrder(by: \.cause).map { found in
      let cause = found[0].cause
      let list = found.prefix(Self.shown).map { _, group, words in
        let names = group.list.map { " <span>\(Markup.escaped($0))</span>" } ?? ""
        return
          "<li><code>\(Markup.escaped(group.subject))</code> \(Markup.escaped(words.headline))\(names)"
      }
      let more = found.count - list.count
      return article(
        cause.level.rawValue, title: cause.kind.summary,
        count: found.reduce(0) { $0 + max($1.group.names.count, 1) }, list, more: more,
        why: cause.consequence, command: cause.command, fix: cause.fix)
    }
  }

  private var unchecked: [String] {
    let (groups, left) = DiagnosticGroup.grouped(report.drift.diagnostics, showsAll: false)
    let articles = DiagnosticGroup.byRemedy(groups).map { found in
      let first = found[0]
      let list = found.map { group in
        let also = group.also.map { " <span>also \(Markup.escaped($0))</span>" } ?? ""
        let address = group.first.address.map { "<code>\(Markup.escaped($0.description))</code> " } ?? ""
        return "<li>\(address)\(Markup.escaped(group.detail))\(also)"
      }
      return article(
        first.first.code.severity == .error ? "unchecked" : "warning", title: first.first.summary,
        count: found.reduce(0) { $0 + 1 + $1.others.count }, Array(list.prefix(Self.shown)),
        more: list.count - min(list.count, Self.shown), why: nil, command: nil, fix: first.hint)
    }
    return articles + left.map { "<p>\(Markup.escaped($0.words))" }
  }

  private func article(
    _ level: String, title: String, count: Int, _ items: [String], more: Int, why: String?, command: String?,
    fix: String?
  ) -> String {
    let rest = more > 0 ? "<li class=more>and \(Spans.number(more)) more" : ""
    let why = why.map { "<p class=why>\(Markup.escaped($0.capitalizedFirst))." } ?? ""
    let words = [command.map { "<code>\(Markup.escaped($0))</code>" }, fix.map(Markup.escaped)].compactMap(\.self)
    return """
      <article class=\(level)><h3><span class=level>\(level)</span> \(Markup.escaped(title)) <span class=n>\(Spans.number(count))</span></h3>
      <ul>\(items.joined())\(rest)</ul>
      \(why)\(words.isEmpty ? "" : "<p class=fix><span>Fix</span> \(words.joined(separator: " "))")
      </article>
      """
  }
}
