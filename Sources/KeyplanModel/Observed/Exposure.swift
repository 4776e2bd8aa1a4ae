/// A recipient who could read a value, and was removed from the store since.
package struct Exposure: Hashable, Sendable, Codable {
  /// The name of the removed recipient.
  package let recipient: Identifier<Recipient>
  /// The time of the removal.
  package let since: Moment

  package init(recipient: Identifier<Recipient>, since: Moment) {
    self.recipient = recipient
    self.since = since
  }

  /// The default time within which an exposed value must be replaced.
  package static let patience = Interval.days(30)
}

extension [Exposure] {
  /// One for each recipient: the earlier one, if there is one.
  package func adding(_ exposures: [Exposure]) -> [Exposure] {
    self + exposures.filter { new in !contains { $0.recipient == new.recipient } }
  }

  /// The end of the time in which the value should be replaced; nil if there are none.
  package func end(after patience: Interval) -> Moment? { map(\.since).min().map { $0 + patience } }

  /// The names of the recipients, sorted.
  package var names: [String] { map(\.recipient.name).sorted() }
}

extension KeyVersion {
  /// The same value, which is also known to these recipients.
  package func exposed(to exposures: [Exposure]) -> KeyVersion {
    var version = self
    version.exposures = version.exposures.adding(exposures)
    return version
  }
}

extension KeyRecord {
  /// The record after these recipients are removed, who could read every version that was for them.
  package func exposed(to exposures: [Exposure]) -> KeyRecord {
    knownTo(exposures.filter { facts.recipients?.contains($0.recipient) ?? true })
  }

  private func knownTo(_ exposures: [Exposure]) -> KeyRecord {
    var record = self
    record.version = version.exposed(to: exposures)
    record.history = history.map { $0.exposed(to: exposures) }
    record.pending = pending?.exposed(to: exposures)
    return record
  }

  /// The record after a change of its recipients; those who left could read every version except one that is written now.
  /// - Parameters:
  ///   - before: the previous recipients of the store.
  ///   - after: the new ones.
  package func narrowed(
    from old: KeyRecord?, among before: [Identifier<Recipient>: Recipient],
    and after: [Identifier<Recipient>: Recipient], at now: Moment
  ) -> KeyRecord {
    guard let old, old.facts.recipients != facts.recipients else { return self }
    let readers = after.readers(of: facts)
    let losing = before.readers(of: old.facts).filter { name, recipient in
      readers[name] == nil && !readers.values.contains { $0.publicKey == recipient.publicKey }
    }
    let exposures = losing.keys.sorted().map { Exposure(recipient: $0, since: now) }
    let isNew = old.version.fingerprint != version.fingerprint
    var record = knownTo(exposures)
    if isNew { record.version = version }
    return record
  }

  /// The former recipients who know the current value, or one that it is made of.
  package var exposures: [Exposure] { (inherited?.exposures ?? []).adding(version.exposures) }

  /// Whether former recipients know the current value, or one that it is made of.
  package var isExposed: Bool {
    !version.exposures.isEmpty || inherited?.parts.contains { !$0.exposures.isEmpty } == true
  }

  /// The keys with a value that former recipients know and that the current value is made of, sorted.
  package var exposedParts: [Identifier<Key>] {
    Set((inherited?.parts ?? []).filter { !$0.exposures.isEmpty }.map(\.key)).sorted()
  }

  /// The former recipients who know a value; empty for one that is not kept.
  package func exposures(of fingerprint: Fingerprint) -> [Exposure] {
    ([version] + history).reduce([]) { $1.fingerprint == fingerprint ? $0.adding($1.exposures) : $0 }
  }
}

extension AccountRecord {
  /// The record after these recipients are removed, who could read the tokens. A refresh does not change that: a service may accept the
  /// refresh token that it replaced.
  package func exposed(to exposures: [Exposure]) -> AccountRecord {
    var record = self
    record.signIn?.exposures = (signIn?.exposures ?? []).adding(exposures)
    return record
  }
}

extension [Identifier<Recipient>: Recipient] {
  /// The recipients that can open the value of a key.
  package func readers(of facts: KeyFacts) -> Self {
    filter { name, recipient in recipient.role == .full && facts.recipients?.contains(name) ?? true }
  }

  /// The recipients who could read values and are not among the new ones. A recipient with the same name and another key is the same
  /// recipient.
  package func leaving(for new: [Identifier<Recipient>: Recipient]) -> [Identifier<Recipient>] {
    let readers = new.filter { $0.value.role == .full }
    let known = Set(readers.values.map(\.publicKey))
    return filter { name, recipient in
      recipient.role == .full && readers[name] == nil && !known.contains(recipient.publicKey)
    }
    .keys.sorted()
  }

  /// The recipients who could only plan and are not among the new ones.
  package func plannersLeaving(for new: [Identifier<Recipient>: Recipient]) -> [Identifier<Recipient>] {
    let known = Set(new.values.map(\.publicKey))
    return filter { name, recipient in
      recipient.role == .plan && new[name] == nil && !known.contains(recipient.publicKey)
    }
    .keys.sorted()
  }
}
