/// Why a place that can be read could not be written.
public struct WriteBlocker: Hashable, Sendable {
  /// A sentence without a value.
  public let reason: String
  /// What to do, where there is something that helps.
  public let hint: String?
  /// Whether it is in the way of whoever asks here alone: others may write there, and a plan is for them too.
  public let isOnlyHere: Bool
  /// As of an `AccessFailure`.
  package var isAboutContent = false

  /// - Parameter reason: a sentence without a value.
  public init(reason: String, hint: String? = nil, isOnlyHere: Bool = false) {
    self.reason = reason
    self.hint = hint
    self.isOnlyHere = isOnlyHere
  }
}

/// All that is in the way at one place.
public struct WriteBlockers: Hashable, Sendable {
  /// What keeps the place from being written at all.
  public var place: WriteBlocker?
  /// What keeps single names from being set. Its reason begins with where that shows.
  public var setting: [String: WriteBlocker]
  /// What keeps single names from being removed.
  public var removing: [String: WriteBlocker]

  /// Nothing but what is given.
  public init(place: WriteBlocker? = nil, setting: [String: WriteBlocker] = [:], removing: [String: WriteBlocker] = [:])
  {
    self.place = place
    self.setting = setting
    self.removing = removing
  }

  /// Whether nothing is in the way.
  public var isEmpty: Bool { place == nil && setting.isEmpty && removing.isEmpty }

  /// Names that meet the same thing in the way.
  package struct Names: Hashable, Sendable {
    /// The names, sorted.
    package let names: [String]
    /// A sentence that begins with where that shows.
    package let reason: String
  }

  /// What keeps these names from being set and removed in one go, although the place can be written; empty where nothing does.
  package func blocked(setting set: some Sequence<String>, removing removed: some Sequence<String>) -> [Names] {
    let found =
      set.compactMap { name in setting[name].map { (name, $0.reason) } }
      + removed.compactMap { name in removing[name].map { (name, $0.reason) } }
    return Dictionary(grouping: found) { $0.1 }.inOrder.map { Names(names: $1.map(\.0).sorted(), reason: $0) }
  }
}

extension WriteBlocker {
  /// What a failure to read the place means for writing.
  package init(_ failure: AccessFailure) {
    self.init(reason: failure.reason, hint: failure.hint)
    isAboutContent = failure.isAboutContent
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
