internal import KeyplanModel
package import KeyplanPlanning

/// Findings of one kind at names of one target: one cause, mostly.
package struct FindingGroup: Sendable {
  package let first: Finding
  /// The names, sorted; empty for a single finding.
  package private(set) var names: [String] = []

  /// The subject: the target if there are several names.
  package var subject: String {
    guard !names.isEmpty, case .entry(let target, _) = first.address else { return first.address.description }
    return Address.target(target).description
  }

  /// `A, B, C and 7 more`; nil for a single finding.
  package var list: String? { names.isEmpty ? nil : Spans.list(names, showing: DiagnosticGroup.shown) }

  /// Groups sorted findings.
  /// - Parameter showsAll: makes a group for each finding.
  package static func grouped(_ findings: [Finding], showsAll: Bool) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    var indices: [Key: Int] = [:]
    for finding in findings {
      guard !showsAll, let key = Key(finding), case .entry(_, let name) = finding.address else {
        groups.append(FindingGroup(first: finding))
        continue
      }
      if let index = indices[key] {
        if groups[index].names.isEmpty, case .entry(_, let first) = groups[index].first.address {
          groups[index].names.append(first)
        }
        groups[index].names.append(name)
      } else {
        indices[key] = groups.count
        groups.append(FindingGroup(first: finding))
      }
    }
    return groups
  }

  private struct Key: Hashable {
    let target: Identifier<Target>
    let fact: FindingFact
    let level: Finding.Level
    let day: String?

    init?(_ finding: Finding) {
      guard case .entry(let target, _) = finding.address, Finding.Kind.ofNames.contains(finding.kind)
      else { return nil }
      self.target = target
      (fact, level, day) = (finding.fact, finding.level, finding.since?.date)
    }
  }
}

extension Finding.Kind {
  /// The kinds whose findings at one target usually have one cause.
  fileprivate static let ofNames: Set<Finding.Kind> = [
    .targetChanged, .targetMissing, .targetBehind, .targetUnwritten, .targetLeft,
  ]
}
