internal import KeyplanModel

/// The answers of providers about keys, for people.
package enum VerifyText {
  /// - Parameter isQuiet: whether keys that work are left out, and with them the heading and the counts.
  package static func render(_ report: VerifyReport, style: Style, isQuiet: Bool) -> String {
    var page = Page(style: style)
    let rows = isQuiet ? report.rows.filter(\.needsLook) : report.rows
    if !isQuiet {
      Heading.put("verify", environment: report.environment, store: report.store, on: &page)
      page.end()
    }
    let word = rows.map { $0.word.utf8.count }.max() ?? 0
    let name = rows.map { Glyphs.columns(of: $0.key.name) }.max() ?? 0
    let provider = rows.map { Glyphs.columns(of: $0.provider) }.max() ?? 0
    let last = word + name + provider + 11
    for row in rows {
      page.put("  ")
      page.put(row.word, row.tint)
      page.move(to: 2 + word + 3)
      page.put(row.key.name)
      page.move(to: 2 + word + 3 + name + 3)
      page.put(row.provider)
      let message = row.message
      if let text = message.detail {
        page.move(to: last)
        page.prose(text, indent: last)
      }
      page.end()
      if let hint = message.hint {
        page.move(to: last)
        page.hint(hint, indent: last, .faint)
        page.end()
      }
    }
    guard !isQuiet else { return page.text }
    if !rows.isEmpty { page.end() }
    page.put(report.counts)
    page.end()
    if !report.previews.isEmpty {
      page.prose(PreviewMessages.checks(of: report.previews), indent: 0)
      page.end()
    }
    return page.text
  }
}

extension VerifyReport {
  fileprivate var counts: String {
    let asked = CheckOutcome.allCases.compactMap { outcome -> String? in
      let count = rows.count { if case .asked(let answer) = $0.result { answer.outcome == outcome } else { false } }
      return count == 0 ? nil : "\(count) \(outcome.word)"
    }
    let open = rows.count { if case .notAsked = $0.result { true } else { false } }
    let all = asked + (open == 0 ? [] : ["\(open) not checked"])
    return all.isEmpty ? "No keys to check." : all.joined(separator: ", ") + "."
  }
}

extension VerifyReport.Row {
  fileprivate var word: String {
    switch result {
    case .asked(let answer): answer.outcome.word
    case .notAsked: "not checked"
    }
  }

  /// Whether a person should read it.
  fileprivate var needsLook: Bool {
    switch result {
    case .asked(let answer): answer.outcome != .valid
    case .notAsked(.noCheck): false
    case .notAsked: true
    }
  }

  fileprivate var tint: Tint? {
    switch result {
    case .asked(let answer):
      switch answer.outcome {
      case .valid: .add
      case .invalid, .expired, .blocked, .noCredit: .error
      case .restricted, .throttled, .pending, .unknown: .warning
      }
    case .notAsked(.noCheck): nil
    case .notAsked: .warning
    }
  }

  fileprivate var message: (detail: String?, hint: String?) {
    switch result {
    case .asked(let answer):
      let facts = answer.facts.words
      return (
        answer.outcome == .valid ? (facts.isEmpty ? nil : facts) : answer.reason,
        renewal.flatMap { answer.outcome.hint(for: key, $0) }
      )
    case .notAsked(let obstacle):
      let message = obstacle.message(provider: provider)
      return (message.detail, message.hint)
    }
  }
}

extension CheckFacts {
  /// `account ada, expires on 2027-01-01, 74.5 left`
  fileprivate var words: String {
    var parts: [String] = []
    if let account { parts.append("account \(account)") }
    if let expires { parts.append("expires on \(expires.date)") }
    if let remaining { parts.append("\(remaining) left") }
    if !scopes.isEmpty { parts.append("scopes \(scopes.prefix(8).joined(separator: " "))") }
    return parts.joined(separator: ", ")
  }
}
