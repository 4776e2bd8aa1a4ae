package import KeyplanModel

extension Diagnostic {
  /// The subject of a diagnostic and the finding: data, from which `KeyplanReporting` makes the text.
  package enum Issue: Hashable, Sendable {
    case key(Identifier<Key>, KeyIssue)
    case slot(Identifier<Slot>, SlotIssue)
    case target(Identifier<Target>, TargetIssue)
    /// A name at a target whose place is the destination.
    case entry(Identifier<Target>, name: String, Destination, EntryIssue)
    case account(Identifier<Account>, AccountIssue)
    /// A migration, by its place in the manifest's list.
    case migration(Int, MigrationIssue)
    case store(StoreIssue)
    /// Something outside of the manifest's folder that must be allowed.
    case access(ExternalAccess, AccessIssue)
    /// Declared, and not supported by this version.
    case unsupported(Address, what: String)
    /// A diagnostic with its own text.
    case reported(Report, of: Address?)

    /// A diagnostic with its own text, and the form that any diagnostic has in a saved plan.
    package struct Report: Hashable, Sendable {
      package let code: Diagnostic.Code
      package let detail: String
      package let hint: String?
      package let cause: Diagnostic.Cause?
      package let failure: AccessFailure.Kind?
      /// The heading; nil for the summary of its code.
      package let summary: String?

      package init(
        code: Diagnostic.Code, detail: String, hint: String?, cause: Diagnostic.Cause? = nil,
        failure: AccessFailure.Kind? = nil, summary: String? = nil
      ) {
        self.summary = summary
        self.code = code
        self.detail = detail
        self.hint = hint
        self.cause = cause
        self.failure = failure
      }
    }

    package var code: Diagnostic.Code {
      switch self {
      case .key(_, let issue): issue.code
      case .slot(_, let issue): issue.code
      case .target(_, let issue): issue.code
      case .entry(_, _, _, let issue): issue.code
      case .account(_, let issue): issue.code
      case .migration(_, let issue): issue.code
      case .store(let issue): issue.code
      case .access(_, .contentUnknown): .contentUnknown
      case .unsupported: .notSupported
      case .reported(let report, _): report.code
      }
    }

    package var address: Address? {
      switch self {
      case .key(let id, _): .key(id)
      case .slot(let id, _): .slot(id)
      case .target(let id, _): .target(id)
      case .entry(let id, let name, _, _): .entry(id, name: name)
      case .account(let id, _): .calendar(id)
      case .migration(let number, _): .migration(number)
      case .store(let issue): issue.address
      case .access(let item, _): .surface(item)
      case .unsupported(let address, _): address
      case .reported(_, let address): address
      }
    }

    /// The cause that several diagnostics share.
    package var cause: Diagnostic.Cause? {
      switch self {
      case .key(_, .sourceFailed(let reference?, let failure, _)):
        Diagnostic.Cause(reference.container, failure.reason)
      case .reported(let report, _): report.cause
      default: nil
      }
    }

    /// The reason that a place was unreachable or unusable.
    package var failure: AccessFailure.Kind? {
      switch self {
      case .reported(let report, _): report.failure
      case .target(_, .namesBlocked(let groups, _)): groups.lazy.compactMap(\.failure?.kind).first
      default: accessFailure?.kind
      }
    }

    /// The failure of a place, with the words of the edge that met it.
    package var accessFailure: AccessFailure? {
      switch self {
      case .key(_, .sourceFailed(_, let failure, _)), .target(_, .failed(let failure, _)),
        .entry(_, _, _, .failed(let failure, _)), .account(_, .tokenFailed(_, let failure)),
        .migration(_, .notRemoved(_, let failure)):
        failure
      default: nil
      }
    }

    /// Distinguishes diagnostics that can have the same code and place.
    var order: String {
      switch self {
      case .key(_, .breaksRule(let rule, _, let breach)): "\(rule) \(breach.order)"
      case .key(_, .isActive(let slot, _)): "active \(slot)"
      case .key(_, .isOnly): "only"
      case .key(_, .elsewhere(let environment, _)): environment
      case .key(_, .isProtected): "protected"
      case .key(_, .sharesVariable(let keys)), .slot(_, .sharesVariable(let keys)): keys.first?.variable ?? ""
      case .target(_, .namesBlocked(let groups, _)): groups.first?.names.first ?? ""
      case .store(let issue): issue.order
      case .access(_, .contentUnknown(let name, _)): name
      case .reported(let report, _): report.detail
      default: ""
      }
    }
  }
}

extension AccessFailure {
  /// The code of a source that failed.
  var sourceCode: Diagnostic.Code { kind.isOutage ? .sourceUnreachable : .sourceUnreadable }
  /// The code of a target that failed.
  var targetCode: Diagnostic.Code { kind.isOutage ? .targetUnreachable : .targetUnreadable }
}
