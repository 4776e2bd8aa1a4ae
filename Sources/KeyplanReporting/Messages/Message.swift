package import KeyplanApply
package import KeyplanModel
package import KeyplanPlanning

/// The text of a diagnostic, without its constant summary.
package struct Message: Hashable, Sendable {
  /// Whole sentences about this one case.
  package let detail: String
  /// The hint, if something helps.
  package let hint: String?

  init(_ detail: String, hint: String? = nil) {
    self.detail = detail
    self.hint = hint
  }
}

extension Diagnostic {
  /// The text, made on each access: only displayed diagnostics need it.
  package var message: Message {
    switch issue {
    case .key(let id, let issue): issue.message(id, isGenerated: isGenerated, of: parts)
    case .slot(let id, let issue): issue.message(id)
    case .target(let id, let issue): issue.message(id)
    case .entry(_, let name, let destination, let issue): issue.message(name, at: destination.words)
    case .account(let id, let issue): issue.message(id)
    case .migration(_, let issue): issue.message
    case .store(let issue): issue.message
    case .access(let item, let issue): issue.message(item)
    case .unsupported(let address, let what): Self.unsupported(address, what)
    case .reported(let report, _): Message(report.detail, hint: report.hint)
    }
  }

  package var detail: String { message.detail }
  package var hint: String? { message.hint }

  /// The heading: the same for each code, except for a command that failed, which is not unreachable.
  package var summary: String {
    if case .key(_, .sourceFailed(let reference?, _, _)) = issue, reference.scheme == "command",
      code == .sourceUnreachable
    {
      return "Source failed"
    }
    if case .reported(let report, _) = issue, let summary = report.summary { return summary }
    return code.summary
  }

  /// The same with one more sentence at the end of its detail.
  package func adding(_ sentence: String) -> Diagnostic {
    let message = message
    let report = Issue.Report(
      code: code, detail: "\(message.detail) \(sentence)", hint: message.hint, failure: failure, summary: summary)
    return Diagnostic(.reported(report, of: address), at: place)
  }

  /// The same with its text, for a saved plan.
  package var saved: SavedDiagnostic {
    let message = message
    return SavedDiagnostic(self, detail: message.detail, hint: message.hint)
  }

  private static func unsupported(_ address: Address, _ what: String) -> Message {
    let command: String? =
      switch what {
      case "sops sources": "[sops, decrypt, --extract, '[\"NAME\"]', FILE]"
      case "pass sources": "[pass, show, NAME]"
      default: nil
      }
    if what.hasPrefix("keychain ") {
      return Message(
        "\(address) uses \(what), which exist only on macOS. Nothing is planned for it.",
        hint: "On Linux, secret-service:// reads the desktop's keyring.")
    }
    return Message(
      "\(address) uses \(what), which this version of keyplan does not support. Nothing is planned for it.",
      hint: command.map { "Until then, use a command: source: { command: \($0) }" }
        ?? "Everything else is planned as usual.")
  }
}

extension Diagnostic.Cause {
  /// `dotenv://.env: Line 4: the quote has no end.`
  package var words: String { "\(subject): \(reason)" }
}

extension AccessFailure {
  /// The hint: a specific one, otherwise the general hint for failures of its kind; nil if nothing helps.
  package var advice: String? {
    if let hint { return hint }
    switch kind {
    case .denied: return "Grant access to the user or the credential that keyplan runs with."
    case .unauthenticated: return "Sign in, or renew the credential."
    case .throttled: return retryAfter.map { "Run this again in \($0.spoken)." } ?? "Run this again later."
    case .sealed: return "Unlock it, then run this again."
    case .unreachable, .unreadable: return nil
    }
  }
}
