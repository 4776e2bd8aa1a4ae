package import KeyplanModel
package import KeyplanPlanning
package import KeyplanReporting

/// Separates findings that count from known ones.
package struct DriftFilter: Sendable {
  /// Findings at these addresses, or at names of these targets, do not count.
  package var ignored: Set<Address> = []
  /// Findings that are known to have begun before this do not count.
  package var since: Moment?
  package var baseline: Baseline?
  /// Outages that are shorter than this do not count.
  package var unreachableAfter: Interval?

  package struct Parted: Sendable {
    package var counted: [Finding] = []
    package var leftOut: [LeftOut] = []
    /// Entries of the baseline without a finding.
    package var unknown: [Baseline.Entry] = []
    /// Entries of the baseline that have expired; their findings count again.
    package var overdue: [Baseline.Entry] = []
  }

  package init(ignored: Set<Address> = [], since: Moment? = nil, baseline: Baseline? = nil) {
    self.ignored = ignored
    self.since = since
    self.baseline = baseline
  }

  package func part(_ findings: [Finding], at now: Moment) -> Parted {
    var parted = Parted()
    let known = Dictionary((baseline?.findings ?? []).map { (Name($0.address, $0.kind), $0) }) { $1 }
    var met: Set<Name> = []
    for finding in findings {
      let name = Name(finding.address, finding.kind)
      met.insert(name)
      if isIgnored(finding.address) {
        parted.leftOut.append(LeftOut(finding, .ignored))
      } else if let since, let began = finding.began, began < since {
        parted.leftOut.append(LeftOut(finding, .earlier))
      } else if let entry = known[name], let end = entry.end, now < end {
        parted.leftOut.append(LeftOut(finding, .baseline(until: end)))
      } else {
        if let entry = known[name] { parted.overdue.append(entry) }
        parted.counted.append(finding)
      }
    }
    parted.unknown = (baseline?.findings ?? []).filter { !met.contains(Name($0.address, $0.kind)) }
    return parted
  }

  private func isIgnored(_ address: Address) -> Bool {
    if case .entry(let target, _) = address, ignored.contains(.target(target)) { return true }
    return ignored.contains(address)
  }

  private struct Name: Hashable {
    package let address: Address
    package let kind: Finding.Kind

    package init(_ address: Address, _ kind: Finding.Kind) { (self.address, self.kind) = (address, kind) }
  }
}

extension Finding {
  /// The start of the finding, if known. The last time that something was seen as recorded shows only that the finding began later.
  fileprivate var began: Moment? {
    switch kind {
    case .interrupted, .stepFailed, .commandDue, .originalLeft, .expired, .lastKeyKept, .slotWithoutKey, .signInEnded,
      .testingEnded,
      .otherAccount, .rotationLost, .signInTooOld, .refreshRefused, .revoked, .keyInvalid, .noCredit, .valueExposed,
      .mintLost, .partsDiffer, .issuedOutdated, .unexpectedFormat, .targetBehind, .targetUnwritten, .targetLeft:
      since
    case .targetChanged, .targetMissing, .targetRewritten, .targetExposed, .sourceChanged, .sourceMissing, .expiresSoon,
      .valueRejected, .replacedKeyValid, .scopesReduced,
      .tokenRefused, .passwordRefused, .accessRefused, .signInEndsSoon, .signInUnused, .calendarGone, .calendarRenamed,
      .calendarMisnamed, .calendarChanged, .calendarUnclear:
      nil
    }
  }
}
