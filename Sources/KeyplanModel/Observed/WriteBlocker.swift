/// The reason that a place that can be read could not be written.
package struct WriteBlocker: Hashable, Sendable {
  /// A sentence without a value.
  package let reason: String
  /// The hint, if something helps.
  package let hint: String?
  /// Whether it concerns only the access that is available here: it may be writable elsewhere, and a plan is for there, too.
  package let isOnlyHere: Bool
  /// As of an `AccessFailure`.
  package var isAboutContent = false
  /// The failure to read that it comes from; nil if there was none.
  package private(set) var failure: AccessFailure?

  /// - Parameter reason: a sentence without a value.
  package init(reason: String, hint: String? = nil, isOnlyHere: Bool = false) {
    self.reason = reason
    self.hint = hint
    self.isOnlyHere = isOnlyHere
  }
}

/// Everything that blocks writing at one place.
package struct WriteBlockers: Hashable, Sendable {
  /// The reason that the place cannot be written at all.
  package var place: WriteBlocker?
  /// Obstacles to setting single names. A reason about a file's content begins with the place in the file.
  package var setting: [String: WriteBlocker]
  /// The reasons that single names cannot be removed.
  package var removing: [String: WriteBlocker]

  /// Contains only the arguments.
  package init(
    place: WriteBlocker? = nil, setting: [String: WriteBlocker] = [:], removing: [String: WriteBlocker] = [:]
  ) {
    self.place = place
    self.setting = setting
    self.removing = removing
  }

  package var isEmpty: Bool { place == nil && setting.isEmpty && removing.isEmpty }

  /// Names that meet the same thing in the way.
  package struct Names: Hashable, Sendable {
    /// The names, sorted.
    package let names: [String]
    /// A sentence. One about a file's content begins with the place in the file.
    package let reason: String
    package let hint: String?
    package let isAboutContent: Bool
    /// The reason that they could not be read; nil if they were.
    package let failure: AccessFailure?
  }

  /// The reasons that these names cannot be set and removed together, although the place can be written; empty if there are none.
  package func blocked(setting set: some Sequence<String>, removing removed: some Sequence<String>) -> [Names] {
    let found =
      set.compactMap { name in setting[name].map { (name, $0) } }
      + removed.compactMap { name in removing[name].map { (name, $0) } }
    return Self.grouped(found)
  }

  /// The names in groups that meet the same thing in the way.
  package static func grouped(_ found: [(String, WriteBlocker)]) -> [Names] {
    Dictionary(grouping: found) { $0.1.reason }.inOrder.map { reason, blocked in
      Names(
        names: blocked.map(\.0).sorted(), reason: reason, hint: blocked.lazy.compactMap(\.1.hint).first,
        isAboutContent: blocked.contains { $0.1.isAboutContent }, failure: blocked.lazy.compactMap(\.1.failure).first)
    }
  }
}

extension WriteBlocker {
  /// The consequence for writing of a failure to read the place.
  package init(_ failure: AccessFailure) {
    self.init(reason: failure.reason, hint: failure.hint)
    isAboutContent = failure.isAboutContent
    self.failure = failure
  }

  /// Another failure in place of one that reveals something about the content of a file.
  fileprivate func withheld(by failure: AccessFailure) -> WriteBlocker {
    isAboutContent ? WriteBlocker(failure) : self
  }
}

extension WriteBlockers {
  /// Another failure in place of each that reveals something about the content of a file.
  package func withheld(by failure: AccessFailure) -> WriteBlockers {
    WriteBlockers(
      place: place?.withheld(by: failure), setting: setting.mapValues { $0.withheld(by: failure) },
      removing: removing.mapValues { $0.withheld(by: failure) })
  }
}
