import KeyplanJSON
package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// Carries out changes at one place: refuses what cannot be written, reads again, writes, and verifies the result.
package struct RemoteWrite {
  package let session: PlaceSession
  package let changes: TargetChanges
  package var verdicts: [String: Verdict] = [:]

  /// The result for one name, before it is verified.
  package enum Verdict {
    case done(mark: String?)
    case stale
    case refused(AccessFailure)
    case unknown(String)
  }

  /// One name that is written.
  package struct Item {
    package let name: String
    /// Nil to delete it.
    package let value: SecretBox?
    /// The entry just before the write, also if it had no value at this place.
    package let entry: ServiceEntry?
  }

  package var api: SecretAPI { session.api }

  package init(_ session: PlaceSession, _ changes: TargetChanges) {
    self.session = session
    self.changes = changes
  }

  /// - Throws: the reason that nothing was written at all.
  package func results() async throws(RemoteFailure) -> [String: WriteResult] {
    var write = self
    try await write.carryOut()
    return write.verdicts.mapValues { verdict in
      switch verdict {
      case .done(let mark): .done(mark: mark.map { Mark($0) })
      case .stale: .stale
      case .refused(let failure): .refused(failure)
      case .unknown(let reason): .unknown(reason)
      }
    }
  }

  private mutating func carryOut() async throws(RemoteFailure) {
    var values: [(name: String, value: SecretBox?)] = []
    for (name, value) in changes.set {
      if let reason = refusal(of: name, value) { refuse(name, reason) } else { values.append((name, value)) }
    }
    for name in changes.remove {
      // A name that the service cannot have is not there.
      if session.isAsked(name) { values.append((name, nil)) } else { verdicts[name] = .done(mark: nil) }
    }
    guard !values.isEmpty else { return }
    let contents = try await contentsToReplace()
    let found: [String: EntryFinding]
    if let contents {
      found = Dictionary(
        values.map { ($0.name, contents[session.identity(of: $0.name)] ?? .missing) },
        uniquingKeysWith: { first, _ in first })
    } else {
      found = try await session.observe(values.map(\.name))
    }
    let items = values.compactMap { name, value in item(name, value, found[name] ?? .missing) }
    await send(items, replacing: contents)
    await verify()
  }

  /// The whole object, if writing replaces it: the checked object must be the one that is sent back.
  private func contentsToReplace() async throws(RemoteFailure) -> PlaceContents? {
    guard let many = api.putMany, many.replacesAll, let list = api.list else { return nil }
    return try await session.contents(list)
  }

  package mutating func refuse(_ name: String, _ reason: String) {
    verdicts[name] = .refused(AccessFailure(.unreadable, reason))
  }

  /// The reason that a value cannot be sent; nil if it can.
  private func refusal(of name: String, _ value: SecretBox) -> String? {
    if (api.names?.rule ?? .text).fault(in: name) != nil { return RemoteMessages.invalidName }
    let limits = api.limits
    guard (limits.least...max(limits.least, limits.value)).contains(value.count) else {
      return RemoteMessages.valueSize(least: limits.least, most: limits.value)
    }
    return value.withBytes { bytes in
      if ValueFault(in: bytes) == .holdsNUL { return ValueFault.holdsNUL.sentence }
      return limits.bytes || invalidUTF8(in: bytes) == nil ? nil : RemoteMessages.reason(.notText)
    }
  }

  /// The item to send for one name; nil if the name is settled without.
  private mutating func item(_ name: String, _ value: SecretBox?, _ finding: EntryFinding) -> Item? {
    var entry: ServiceEntry?
    var vacant: ServiceEntry?
    switch finding {
    case .missing: break
    case .vacant(let found): vacant = found
    case .failed(let failure):
      verdicts[name] = .refused(failure)
      return nil
    case .found(let found): entry = found
    }
    guard isExpected(name, entry) else {
      verdicts[name] = .stale
      return nil
    }
    if entry?.isShared ?? false {
      refuse(name, RemoteMessages.sharedEntry)
      return nil
    }
    if value == nil, entry == nil {
      verdicts[name] = .done(mark: nil)
      return nil
    }
    return Item(name: name, value: value, entry: entry ?? vacant)
  }

  /// Whether the name is as it was when the change was decided.
  private func isExpected(_ name: String, _ entry: ServiceEntry?) -> Bool {
    guard let expected = changes.expected else { return true }
    guard let mark = expected[name] else { return entry == nil }
    guard let entry else { return false }
    return mark == nil || entry.currentMark == nil || mark?.text == entry.currentMark
  }

  /// Reads once everything that was written, or may have been: the service's answers alone are not sufficient.
  private mutating func verify() async {
    var names: [String] = []
    for (name, verdict) in verdicts {
      switch verdict {
      case .done, .unknown: names.append(name)
      case .stale, .refused: continue
      }
    }
    let values = Dictionary(changes.set.map { ($0.name, $0.value) }) { first, _ in first }
    names = names.filter { session.isAsked($0) }.sorted()
    guard !names.isEmpty, let found = try? await session.observe(names) else { return }
    for name in names {
      guard let verdict = verdicts[name], let finding = found[name] else { continue }
      verdicts[name] = Self.verdict(verdict, value: values[name], finding)
    }
  }

  private static func verdict(_ verdict: Verdict, value: SecretBox?, _ finding: EntryFinding) -> Verdict {
    let hasArrived: Bool?
    var shown: String?
    switch finding {
    case .failed: return verdict
    case .missing, .vacant: hasArrived = value == nil
    case .found(let entry):
      shown = entry.currentMark
      if value == nil {
        hasArrived = false
      } else if let value, let there = entry.value {
        hasArrived = there.equals(value)
      } else {
        hasArrived = entry.isOther ? false : nil
      }
    }
    switch (verdict, hasArrived) {
    case (.done(let mark), true), (.done(let mark), nil): return .done(mark: mark ?? shown)
    case (.unknown, true): return .done(mark: shown)
    case (.done, false): return .stale
    default: return verdict
    }
  }
}
