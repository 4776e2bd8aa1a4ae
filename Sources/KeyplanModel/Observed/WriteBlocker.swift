/// Why a place that can be read could not be written.
package struct WriteBlocker: Hashable, Sendable {
  /// A sentence without a value.
  package let reason: String
  /// What to do, where there is something that helps.
  package let hint: String?
  /// Whether it is in the way of whoever asks here alone: others may write there, and a plan is for them too.
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

/// All that is in the way at one place.
package struct WriteBlockers: Hashable, Sendable {
  /// What keeps the place from being written at all.
  package var place: WriteBlocker?
  /// Obstacles to setting single names. A reason about a file's content begins with the place in the file.
  package var setting: [String: WriteBlocker]
  /// What keeps single names from being removed.
  package var removing: [String: WriteBlocker]

  /// Nothing but what is given.
  package init(
    place: WriteBlocker? = nil, setting: [String: WriteBlocker] = [:], removing: [String: WriteBlocker] = [:]
  ) {
    self.place = place
    self.setting = setting
    self.removing = removing
  }

  /// Whether nothing is in the way.
  package var isEmpty: Bool { place == nil && setting.isEmpty && removing.isEmpty }

  /// Names that meet the same thing in the way.
  package struct Names: Hashable, Sendable {
    /// The names, sorted.
    package let names: [String]
    /// A sentence. One about a file's content begins with the place in the file.
    package let reason: String
    package let hint: String?
    package let isAboutContent: Bool
    /// Why they could not be read; nil if they were.
    package let failure: AccessFailure?
  }

  /// What keeps these names from being set and removed in one go, although the place can be written; empty where nothing does.
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
  /// What a failure to read the place means for writing.
  package init(_ failure: AccessFailure) {
    self.init(reason: failure.reason, hint: failure.hint)
    isAboutContent = failure.isAboutContent
    self.failure = failure
  }

  /// Another failure in the place of one that says something about the content of a file.
  fileprivate func withheld(by failure: AccessFailure) -> WriteBlocker {
    isAboutContent ? WriteBlocker(failure) : self
  }
}

extension WriteBlockers {
  /// Another failure in the place of each that says something about the content of a file.
  package func withheld(by failure: AccessFailure) -> WriteBlockers {
    WriteBlockers(
      place: place?.withheld(by: failure), setting: setting.mapValues { $0.withheld(by: failure) },
      removing: removing.mapValues { $0.withheld(by: failure) })
  }
}
