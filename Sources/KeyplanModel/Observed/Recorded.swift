/// The contents of the store, without a single secret: the memory between two runs.
package struct Recorded: Sendable {
  /// The store's identity and state; nil if there is none.
  package var store: StoreState?
  /// The keys, by name.
  package var keys: [Identifier<Key>: KeyRecord]
  /// The slots, by name.
  package var slots: [Identifier<Slot>: SlotRecord]
  /// The targets, by name.
  package var targets: [Identifier<Target>: TargetRecord]
  /// The calendar accounts, by name.
  package var accounts: [Identifier<Account>: AccountRecord]
  /// The store's recipients.
  package var recipients: [Identifier<Recipient>: Recipient]
  /// The permitted external accesses of the manifest, with their terms.
  package var surface: Surface
  /// Steps whose outcome is unknown, with the time they began.
  package var interrupted: [Address: Moment]
  /// Values that interrupted writes may have left at targets' places.
  package var attempts: [Identifier<Target>: WriteAttempt]
  /// The error of the last step outside the store, by address. Addresses without one have no entry.
  package var failures: [Address: StepError] = [:]
  /// Requests to create a key whose outcome is unknown, by the key in the manifest.
  package var mints: [Identifier<Key>: MintAttempt] = [:]
  /// The targets at which something may have changed without their hook having run to success since, with the moment from which
  /// that is so.
  package var dueHooks: [Identifier<Target>: Moment] = [:]
  /// The marks of the migrations that were carried out.
  package var migrated: Set<String>
  /// The records that were forgotten and are still kept, in the order in which they were.
  package var forgotten: [ForgottenKey]
  /// The plans that were last applied, also those that were not completed, oldest first.
  package var applied: [AppliedPlan] = []
  /// The restricted values that the identity in use can open; nil if it can open none, or all.
  package var access: ValueAccess?
  /// The rules and exceptions of the manifest that was last applied.
  package var guards = Guards()

  /// Empty except for the arguments.
  package init(
    store: StoreState? = nil, keys: [Identifier<Key>: KeyRecord] = [:], slots: [Identifier<Slot>: SlotRecord] = [:],
    targets: [Identifier<Target>: TargetRecord] = [:], accounts: [Identifier<Account>: AccountRecord] = [:],
    recipients: [Identifier<Recipient>: Recipient] = [:],
    surface: Surface = Surface(), interrupted: [Address: Moment] = [:],
    attempts: [Identifier<Target>: WriteAttempt] = [:],
    migrated: Set<String> = [], forgotten: [ForgottenKey] = []
  ) {
    self.store = store
    self.keys = keys
    self.slots = slots
    self.targets = targets
    self.accounts = accounts
    self.recipients = recipients
    self.surface = surface
    self.interrupted = interrupted
    self.attempts = attempts
    self.migrated = migrated
    self.forgotten = forgotten
  }

  /// The revision of the record at an address: nil for addresses that have none ever, a nil inside for *no record*.
  package func revision(of address: Address) -> Int64?? {
    switch address {
    case .key(let id): .some(keys[id]?.revision)
    case .slot(let id): .some(slots[id]?.revision)
    case .target(let id): .some(targets[id]?.revision)
    // A plan for an account stays valid when its tokens are refreshed, which happens often and in any process.
    case .entry, .calendar, .recipients, .surface, .migration, .rules, .store: nil
    }
  }

  /// The keys that a manifest does not declare, in order of names.
  package func undeclared(in manifest: Manifest) -> [(Identifier<Key>, KeyRecord)] {
    // By names first: reading the records as well would cost more than everything else, and keys are rarely removed.
    let names = keys.keys.filter { !manifest.keys.keys.contains($0) }.sorted()
    return names.compactMap { name in keys[name].map { (name, $0) } }
  }
}

/// A store's identity and state.
package struct StoreState: Hashable, Sendable, Codable {
  /// The store's id: 32 hex digits, made at `init`.
  package let id: String
  /// Counts commits; only grows.
  package let serial: Int64
  /// Counts root keys; grows when a recipient is removed.
  package let epoch: Int64
  /// The time of the last apply's commit; nil before the first.
  package let appliedAt: Moment?
  /// The serial of the commit that moved it to its place; nil for a store that was created there.
  package let movedAt: Int64?
  /// The plan that was last applied, complete or not; nil if none is known. A saved plan does not contain it.
  package var lastPlan: AppliedPlan?
  /// The time of the last apply that was completed; nil if none is known. A saved plan does not contain it.
  package var completedAt: Moment?

  private enum CodingKeys: String, CodingKey { case id, serial, epoch, appliedAt, movedAt }

  package init(
    id: String, serial: Int64, epoch: Int64, appliedAt: Moment? = nil, movedAt: Int64? = nil,
    applied: [AppliedPlan] = []
  ) {
    lastPlan = applied.last
    completedAt = applied.last { !$0.isIncomplete }?.at
    self.id = id
    self.serial = serial
    self.epoch = epoch
    self.appliedAt = appliedAt
    self.movedAt = movedAt
  }
}

/// The record of a key, without its value.
package struct KeyRecord: Hashable, Sendable, Codable {
  @Indirect private var content: Content

  private struct Content: Hashable, Codable {
    var revision: Int64
    var facts: KeyFacts
    var version: KeyVersion
    var history: [KeyVersion]
    var retiredAt: Moment?
    var rejected: Fingerprint?
    // Stored indirectly, because few keys have one.
    var refusal: Indirect<KeyCheck>?
    var trackedContent: String?
    // Nil for none, so that documents without one are as they were.
    var revoked: [Revocation]?
    // Nil for none, as in `revoked`.
    var issued: [IssuedKey]?
    // Stored indirectly, because few keys have one.
    var pending: Indirect<KeyVersion>?
    // Never encoded: it follows from other records.
    var inherited: Indirect<Inherited>?

    private enum CodingKeys: String, CodingKey {
      case revision, facts, version, history, retiredAt, rejected, refusal, trackedContent, revoked, issued, pending
    }
  }

  package init(
    revision: Int64, facts: KeyFacts, version: KeyVersion, history: [KeyVersion] = [], retiredAt: Moment? = nil,
    rejected: Fingerprint? = nil, revoked: [Revocation] = []
  ) {
    content = Content(
      revision: revision, facts: facts, version: version, history: history, retiredAt: retiredAt, rejected: rejected,
      revoked: revoked.isEmpty ? nil : revoked)
  }

  /// The serial of the commit that last wrote this record; a step planned against one revision does not run on another.
  package var revision: Int64 {
    get { content.revision }
    set { content.revision = newValue }
  }

  /// The facts that were declared when it was last applied.
  package var facts: KeyFacts {
    get { content.facts }
    set { content.facts = newValue }
  }

  /// The current version of the value.
  package var version: KeyVersion {
    get { content.version }
    set { content.version = newValue }
  }

  /// Earlier versions, newest first; their values are stored as well.
  package var history: [KeyVersion] {
    get { content.history }
    set { content.history = newValue }
  }

  /// The time at which it was retired; nil while it is in use.
  package var retiredAt: Moment? {
    get { content.retiredAt }
    set { content.retiredAt = newValue }
  }

  /// The value that is not stored although the source has it: an accept or a rollback rejected it, or its provider does.
  package var rejected: Fingerprint? {
    get { content.rejected }
    set { content.rejected = newValue }
  }

  /// The provider's answer because of which that value is not stored; nil if a person rejected it.
  package var refusal: KeyCheck? {
    get { content.refusal?.wrappedValue }
    set { content.refusal = newValue.map { Indirect(wrappedValue: $0) } }
  }

  /// The digest of the source's file when it was last applied, if git tracks that file; nil otherwise.
  package var trackedContent: String? {
    get { content.trackedContent }
    set { content.trackedContent = newValue }
  }

  /// The values that were revoked, oldest first, whether they are kept or not.
  package var revoked: [Revocation] {
    get { content.revoked ?? [] }
    set { content.revoked = newValue.isEmpty ? nil : newValue }
  }

  /// The keys at a provider that keyplan had made for this one and has not revoked, oldest first.
  package var issued: [IssuedKey] {
    get { content.issued ?? [] }
    set { content.issued = newValue.isEmpty ? nil : newValue }
  }

  /// A value that was made at the provider and is not used yet. It is stored in addition to the others.
  package var pending: KeyVersion? {
    get { content.pending?.wrappedValue }
    set { content.pending = newValue.map { Indirect(wrappedValue: $0) } }
  }

  /// The facts in the records of the keys that the value is made of; nil for a value that is not composed, and in records that were read apart
  /// from those of the parts.
  package internal(set) var inherited: Inherited? {
    get { content.inherited?.wrappedValue }
    set { content.inherited = newValue.map { Indirect(wrappedValue: $0) } }
  }

  /// Reads the fields, as if they lay here.
  package init(from decoder: any Decoder) throws { content = try Content(from: decoder) }

  /// Writes the fields, as if they lay here.
  package func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }

  /// The number of earlier versions that a store keeps.
  package static let historyLimit = 5
}

/// One value that a key had, by fingerprint.
package struct KeyVersion: Hashable, Sendable, Codable {
  /// 1 for the first value ever stored under this name.
  package let number: Int64
  /// The fingerprint of the value.
  package let fingerprint: Fingerprint
  /// The time at which it was stored. Its age counts from here if the manifest has no date of issue for it.
  package let storedAt: Moment
  /// The date of issue that the manifest declared for this value.
  package var issuedAt: Moment?
  /// The canonical text of the source it came from; nil when it was typed in.
  package let origin: String?
  /// The format that the value does not have, if no plan showed that: it was read at apply only.
  package var missedFormat: String?
  /// The recipients who could read the value and can no longer open the store.
  package var exposures: [Exposure] {
    get { known ?? [] }
    set { known = newValue.isEmpty ? nil : newValue }
  }

  /// The provider's last answer about the value; nil if there was none.
  package var check: KeyCheck? {
    get { said?.wrappedValue }
    set { said = newValue.map { Indirect(wrappedValue: $0) } }
  }

  /// The values that this one is made of; empty for one that is not composed.
  package var parts: [ComposedPart] {
    get { made?.wrappedValue ?? [] }
    set { made = newValue.isEmpty ? nil : Indirect(wrappedValue: newValue) }
  }

  private var known: [Exposure]?
  // Stored indirectly, because few values have one.
  private var said: Indirect<KeyCheck>?
  private var made: Indirect<[ComposedPart]>?

  private enum CodingKeys: String, CodingKey {
    case number, fingerprint, storedAt, issuedAt, origin, missedFormat, said = "check", known = "exposures",
      made = "parts"
  }

  package init(
    number: Int64, fingerprint: Fingerprint, storedAt: Moment, issuedAt: Moment? = nil, origin: String?,
    exposures: [Exposure] = [], check: KeyCheck? = nil, missedFormat: String? = nil, parts: [ComposedPart] = []
  ) {
    made = parts.isEmpty ? nil : Indirect(wrappedValue: parts)
    self.issuedAt = issuedAt
    self.missedFormat = missedFormat
    said = check.map { Indirect(wrappedValue: $0) }
    known = exposures.isEmpty ? nil : exposures
    self.number = number
    self.fingerprint = fingerprint
    self.storedAt = storedAt
    self.origin = origin
  }
}

extension KeyVersion {
  /// The same value with its fingerprint in another domain.
  package func renewed(_ fingerprint: Fingerprint) -> KeyVersion {
    KeyVersion(
      number: number, fingerprint: fingerprint, storedAt: storedAt, issuedAt: issuedAt, origin: origin,
      exposures: exposures, check: check, missedFormat: missedFormat, parts: parts)
  }
}

extension KeyRecord {
  /// Whether the value was stored without the format that its provider's keys have, and no plan showed that. Another format, or another
  /// provider, is another question.
  package func missesFormat(of provider: Provider?) -> Bool {
    guard let missed = version.missedFormat else { return false }
    return missed == provider?.format?.text
  }
}

/// The active key of a slot.
package struct SlotRecord: Hashable, Sendable, Codable {
  /// The serial of the commit that last wrote this record.
  package var revision: Int64
  /// The active key.
  package var key: Identifier<Key>
  /// Since when.
  package var since: Moment

  package init(revision: Int64, key: Identifier<Key>, since: Moment) {
    self.revision = revision
    self.key = key
    self.since = since
  }
}

/// The values that were written to a target.
package struct TargetRecord: Hashable, Sendable, Codable {
  /// The serial of the commit that last wrote this record.
  package var revision: Int64
  /// The place where they were written.
  package var destination: Destination
  /// The written values, by name.
  package var entries: [String: Entry]
  /// The permanent id of the place, which does not change when it is renamed; nil if it has none.
  package var placeId: String?

  /// One written value.
  package struct Entry: Hashable, Sendable, Codable {
    /// The key whose value it is.
    package let key: Identifier<Key>
    /// The fingerprint of the value, in the key's domain.
    package let fingerprint: Fingerprint
    /// The time at which it was written or last seen equal by an apply.
    package let syncedAt: Moment
    /// The mark that the place showed after the write; nil if it shows the value, or no mark.
    package let mark: Mark?
    /// The mark of a value that keyplan did not write and that stays there until the key changes; nil for a value of keyplan's.
    package let kept: Mark?

    package init(
      key: Identifier<Key>, fingerprint: Fingerprint, syncedAt: Moment, mark: Mark? = nil, kept: Mark? = nil
    ) {
      self.key = key
      self.fingerprint = fingerprint
      self.syncedAt = syncedAt
      self.mark = mark
      self.kept = kept
    }

    /// The same under another name of the key, or with the fingerprint in another domain.
    package func renewed(key: Identifier<Key>, fingerprint: Fingerprint) -> Entry {
      Entry(key: key, fingerprint: fingerprint, syncedAt: syncedAt, mark: mark, kept: kept)
    }
  }

  package init(revision: Int64, destination: Destination, entries: [String: Entry], placeId: String? = nil) {
    self.placeId = placeId
    self.revision = revision
    self.destination = destination
    self.entries = entries
  }
}
