import KeyplanModel
import KeyplanPlanning
package import KeyplanPorts
import KeyplanSecrets

/// The contract of every store, whatever holds its rows. Check each promise with a store of its own:
///
///     @Test(arguments: RecordStoreContract.promises) func keeps(_ promise: RecordStoreContract.Promise) throws {
///       try promise.check(.init(store, reopened: { try open(again) }))
///     }
package enum RecordStoreContract {
  /// A store with all of its capabilities.
  package typealias Store = Fingerprinting & PlanSigning & RecordStore & TokenStore

  /// A new store, and a function that opens it again.
  package struct Subject {
    let store: any Store
    let reopened: () throws -> any Store

    /// The store must be at its first serial, and empty except for one or more recipients.
    package init(_ store: any Store, reopened: @escaping () throws -> any Store) {
      self.store = store
      self.reopened = reopened
    }
  }

  /// One promise of the contract.
  package struct Promise: Sendable, CustomStringConvertible {
    /// The promise as a sentence.
    package let description: String
    /// Throws `BrokenPromise` if the store violates it.
    package let check: @Sendable (Subject) throws -> Void
  }

  /// A violation of the contract.
  package struct BrokenPromise: Error, CustomStringConvertible {
    /// The expected and the actual result, and the line of the check.
    package let description: String
  }

  /// All promises.
  package static let promises: [Promise] = keys + others + accounts + leaks + mints
}

extension RecordStoreContract {
  private static let keys = [
    Promise(description: "a committed record and its value come back as they were") { subject in
      let work = Work(subject.store)
      let record = try work.write("openai-main", ["one"])
      try expect(try work.recorded().keys, [try Work.key("openai-main"): record])
      try expect(try work.text("openai-main"), "one")
      let again = try subject.reopened()
      try expect(try again.recorded().keys.values.first, record)
      try expect(try Work(again).text("openai-main"), "one")
    },
    Promise(description: "an empty value, one of 70,000 bytes and one of all bytes come back") { subject in
      let work = Work(subject.store)
      for (name, bytes) in [("a", []), ("b", [UInt8](repeating: 7, count: 70_000)), ("c", Array(0...255))] {
        let key = try Work.key(name)
        let value = SecretBox(bytes + [])
        let record = Work.record(subject.store.fingerprint(value, of: key), number: 1, history: [])
        try work.commit([.key(key, record, value: value)])
        try expect(try subject.reopened().value(of: key, version: nil).withBytes { Array($0) }, bytes)
      }
    },
    Promise(description: "a new value makes the old one an earlier version, kept as long as the history names it") {
      subject in
      let work = Work(subject.store)
      try work.write("k", ["one"])
      try work.write("k", ["two", "one"])
      try work.write("k", ["three", "two", "one"])
      try expect(try work.text("k"), "three")
      try expect(try work.text("k", version: 1), "one")
      try expect(try work.text("k", version: 2), "two")
      try work.write("k", ["four", "three"])
      try expect(try work.text("k", version: 3), "three")
      try expect(.notRecorded) { _ = try work.text("k", version: 2) }
      try expect(.notRecorded) { _ = try work.text("k", version: 1) }
    },
    Promise(
      description: "a line break at the end of several lines makes no other fingerprint, and is kept with the value"
    ) {
      subject in
      let key = try Work.key("lines")
      func fingerprint(_ text: String) -> Fingerprint { subject.store.fingerprint(Work.value(text), of: key) }
      for (one, other, isSame) in [
        ("a\nb", "a\nb\n", true), ("a\r\nb\r\n", "a\r\nb", true), ("a\nb\n", "a\nb\n\n", false), ("a", "a\n", false),
        ("\n", "", false),
      ] {
        try expect(fingerprint(one) == fingerprint(other), isSame)
      }
      let work = Work(subject.store)
      try work.write("lines", ["a\nb\n"])
      try expect(try work.text("lines"), "a\nb\n")
    },
    Promise(description: "without a value only what is recorded beside it changes") { subject in
      let work = Work(subject.store)
      var record = try work.write("k", ["one"])
      record.retiredAt = Moment(seconds: 5)
      record.revision = 9
      try work.commit([.key(try Work.key("k"), record, value: nil)])
      try expect(try work.recorded().keys, [try Work.key("k"): record])
      try expect(try work.text("k"), "one")
    },
    Promise(description: "a record without any value is refused, and the whole commit with it") { subject in
      let work = Work(subject.store)
      let key = try Work.key("k")
      let lone = Work.record(subject.store.fingerprint(Work.value("x"), of: key), number: 1, history: [])
      let item = ExternalAccess(.host, "example.com")
      try expect(.notRecorded) { try work.commit([.allow(item, []), .key(key, lone, value: nil)]) }
      try expect(try work.recorded().surface.isEmpty, true)
      try expect(try work.recorded().store?.serial, work.start)
    },
    Promise(description: "a forgotten key is gone, and its name can be used again") { subject in
      let work = Work(subject.store)
      try work.write("k", ["one"])
      try work.commit([.forget(try Work.key("k"))])
      try expect(try work.recorded().keys, [:])
      try expect(.notRecorded) { _ = try work.text("k") }
      try expect(.notRecorded) { try work.commit([.forget(try Work.key("k"))]) }
      try work.write("k", ["another"])
      try expect(try Work(try subject.reopened()).text("k"), "another")
    },
    Promise(
      description: "forgotten keys are known with their records for 30 days, in their order, under a fresh root too"
    ) {
      subject in
      let work = Work(subject.store)
      let (a, b) = (try Work.key("a"), try Work.key("b"))
      try expect(try work.recorded().forgotten, [])
      try work.write("b", ["one"])
      let second = try work.write("b", ["two", "one"])
      try work.commit([.forget(b)], at: 5000)
      let serial = try work.recorded().store?.serial
      try work.write("a", ["x"])
      try work.commit([.forget(a)], at: 6000)
      try work.write("b", ["another"])
      try work.commit([.forget(b)], at: 7000)
      let found = try subject.reopened().recorded().forgotten
      try expect(found.map(\.key), [b, a, b])
      try expect(found.map(\.at.seconds), [5000, 6000, 7000])
      try expect(found.first?.serial, serial)
      try expect(found.first?.record, second)
      try work.commit([.recipients(try work.recorded().recipients, freshRoot: true)], at: 8000)
      let renewed = try subject.reopened().recorded().forgotten
      try expect(renewed.map(\.serial), found.map(\.serial))
      try expect(
        renewed.first?.record.history.map(\.fingerprint), [subject.store.fingerprint(Work.value("one"), of: b)])
      try work.commit([.began(.recipients)], at: 5000 + ForgottenKey.restorable.seconds)
      try expect(try work.recorded().forgotten.count, 3)
      try work.commit([.began(.recipients)], at: 5001 + ForgottenKey.restorable.seconds)
      try expect(try subject.reopened().recorded().forgotten.map(\.at.seconds), [6000, 7000])
    },
    Promise(description: "a forgotten key comes back with all its values, once, where its name is free") { subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      try work.write("k", ["one"])
      try work.write("k", ["two", "one"])
      try work.commit([.forget(k)])
      let forgotten = try work.recorded().forgotten.first
      let serial = forgotten?.serial ?? -1
      try work.write("k", ["another"])
      try expect(.exists) { try work.commit([.restore(k, forgotten: serial)]) }
      try work.commit([.forget(k)])
      try expect(.notRecorded) { try work.commit([.restore(k, forgotten: serial + 1)]) }
      try expect(.notRecorded) { try work.commit([.restore(try Work.key("other"), forgotten: serial)]) }
      try work.commit([.recipients(try work.recorded().recipients, freshRoot: true)])
      try work.commit([.restore(k, forgotten: serial)])
      for store in [subject.store, try subject.reopened()] {
        let found = try store.recorded()
        try expect(found.keys[k]?.revision, found.store?.serial)
        try expect(found.keys[k]?.version.number, 2)
        try expect(found.keys[k]?.version.fingerprint, store.fingerprint(Work.value("two"), of: k))
        try expect(found.keys[k]?.facts, forgotten?.record.facts)
        try expect(try Work(store).text("k"), "two")
        try expect(try Work(store).text("k", version: 1), "one")
        try expect(found.forgotten.count, 1)
      }
      try expect(.notRecorded) { try work.commit([.restore(k, forgotten: serial)]) }
      try work.write("k", ["three", "two"])
      try expect(try Work(try subject.reopened()).text("k", version: 2), "two")
    },
    Promise(
      description: "what is restored can be written on in the same commit, and is dropped after 30 days otherwise"
    ) {
      subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      let record = try work.write("k", ["one"])
      try work.commit([.forget(k)], at: 5000)
      let serial = try work.recorded().forgotten.first?.serial ?? -1
      var next = record
      next.retiredAt = Moment(seconds: 9)
      try work.commit([.restore(k, forgotten: serial), .key(k, next, value: nil)], at: 5000)
      try expect(try subject.reopened().recorded().keys[k], next)
      try expect(try Work(try subject.reopened()).text("k"), "one")
      try work.commit([.forget(k)], at: 5000)
      let again = try work.recorded().forgotten.first?.serial ?? -1
      try expect(.notRecorded) {
        try work.commit([.restore(k, forgotten: again)], at: 5001 + ForgottenKey.restorable.seconds)
      }
    },
    Promise(description: "what a provider said about a key, and about a value that is not stored, is kept") { subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      let refused = subject.store.fingerprint(Work.value("refused"), of: k)
      let written = try work.write("k", ["one"])
      let record = written.checked(KeyCheck(.valid, at: Moment(seconds: 6), expires: Moment(seconds: 99)), revision: 9)
        .refusing(refused, KeyCheck(.blocked, at: Moment(seconds: 7)), revision: 9)
      try work.commit([.key(k, record, value: nil)])
      let kept = try subject.reopened().recorded().keys[k]
      try expect(kept, record)
      try expect(kept?.refusal, KeyCheck(.blocked, at: Moment(seconds: 7)))
    },
    Promise(description: "an earlier version becomes the current one again, and no value is lost") { subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      try work.write("k", ["one"])
      try work.write("k", ["two", "one"])
      var record = try work.write("k", ["three", "two", "one"])
      let rollback = KeyRollback(to: 1, was: 3, rejected: record.version.fingerprint)
      record = record.rolledBack(rollback, revision: 9) ?? record
      try work.commit([.key(k, record, value: nil)])
      let again = try subject.reopened()
      try expect(try again.recorded().keys[k], record)
      try expect(try Work(again).text("k"), "one")
      try expect(try Work(again).text("k", version: 2), "two")
      try expect(try Work(again).text("k", version: 3), "three")
    },
    Promise(description: "a name that is not recorded has no value") { subject in
      try expect(.notRecorded) { _ = try Work(subject.store).text("nobody") }
    },
    Promise(description: "many keys in one commit all come back") { subject in
      let work = Work(subject.store)
      let names = (0..<300).map { "key-\($0)" }
      var changes: [RecordChange] = []
      for name in names {
        let key = try Work.key(name)
        let record = Work.record(subject.store.fingerprint(Work.value(name), of: key), number: 1, history: [])
        changes.append(.key(key, record, value: Work.value(name)))
      }
      try work.commit(changes)
      let again = Work(try subject.reopened())
      try expect(Set(try again.recorded().keys.keys.map(\.name)), Set(names))
      for name in names { try expect(try again.text(name), name) }
    },
  ]

  private static let others = [
    Promise(description: "slots and targets are written, changed and removed") { subject in
      let work = Work(subject.store)
      let key = try work.write("k", ["one"]).version
      guard let slot = Identifier<Slot>("assistant"), let target = Identifier<Target>("app") else { return }
      let entry = TargetRecord.Entry(key: try Work.key("k"), fingerprint: key.fingerprint, syncedAt: Moment(seconds: 7))
      let surface = ExternalAccess(.path, "/srv/app/.env")
      let destination = Destination(type: "dotenv", location: "/srv/app/.env", surface: surface)
      let slotRecord = SlotRecord(revision: 3, key: try Work.key("k"), since: Moment(seconds: 6))
      let targetRecord = TargetRecord(revision: 3, destination: destination, entries: ["NAME": entry, "Ü": entry])
      try work.commit([.slot(slot, slotRecord), .target(target, targetRecord)])
      let found = try subject.reopened().recorded()
      try expect(found.slots, [slot: slotRecord])
      try expect(found.targets, [target: targetRecord])
      try work.commit([.slot(slot, nil), .target(target, nil)])
      try expect(try work.recorded().slots, [:])
      try expect(try work.recorded().targets, [:])
    },
    Promise(description: "what began is interrupted until it is finished") { subject in
      let work = Work(subject.store)
      guard let target = Identifier<Target>("app") else { return }
      let address = Address.entry(target, name: "A.B")
      try work.commit([.began(address), .began(.recipients)], at: 50)
      try expect(
        try subject.reopened().recorded().interrupted,
        [address: Moment(seconds: 50), .recipients: Moment(seconds: 50)])
      try work.commit([.finished(address)])
      try expect(try work.recorded().interrupted, [.recipients: Moment(seconds: 50)])
    },
    Promise(description: "what a write may have left is recorded until it is cleared, and follows a renamed key") {
      subject in
      let work = Work(subject.store)
      guard let one = Identifier<Target>("one"), let two = Identifier<Target>("two") else { return }
      try work.write("k", ["one"])
      let (key, moved) = (try Work.key("k"), try Work.key("moved"))
      let surface = ExternalAccess(.path, "/srv/.env")
      let far = WriteAttempt(
        destination: Destination(type: "dotenv", location: "/srv/.env", surface: surface), names: ["A": key, "Ü": key])
      let near = WriteAttempt(destination: Destination(type: "json", location: "x"), names: [:])
      try work.commit([.attempt(one, far), .attempt(two, near)])
      try expect(try subject.reopened().recorded().attempts, [one: far, two: near])
      try work.commit([.move(key, to: moved), .attempt(two, nil)])
      let followed = WriteAttempt(destination: far.destination, names: ["A": moved, "Ü": moved])
      try expect(try subject.reopened().recorded().attempts, [one: followed])
      try work.commit([.attempt(one, nil)])
      try expect(try work.recorded().attempts, [:])
    },
    Promise(description: "a hook is due from the first time that this is recorded until it is no longer") { subject in
      let work = Work(subject.store)
      guard let one = Identifier<Target>("one"), let two = Identifier<Target>("two") else { return }
      try work.commit([.hook(one, isDue: true), .hook(two, isDue: true)], at: 50)
      try work.commit([.hook(one, isDue: true), .hook(two, isDue: false)], at: 60)
      try expect(try subject.reopened().recorded().dueHooks, [one: Moment(seconds: 50)])
      try work.commit([.hook(one, isDue: false)])
      try expect(try work.recorded().dueHooks, [:])
    },
    Promise(description: "a key moves with all its versions, and slots and targets that name it follow") { subject in
      let work = Work(subject.store)
      let (old, new) = (try Work.key("old"), try Work.key("new"))
      guard let slot = Identifier<Slot>("assistant"), let other = Identifier<Slot>("other"),
        let target = Identifier<Target>("app")
      else { return }
      try work.write("bystander", ["theirs"])
      try work.write("old", ["one"])
      var record = try work.write("old", ["two", "one"])
      record.rejected = record.history.first?.fingerprint
      let theirs = try Work.key("bystander")
      func entry(_ key: Identifier<Key>, _ text: String) -> TargetRecord.Entry {
        TargetRecord.Entry(
          key: key, fingerprint: subject.store.fingerprint(Work.value(text), of: key), syncedAt: Moment(seconds: 7))
      }
      let entries = ["A": entry(old, "two"), "B": entry(old, "gone"), "C": entry(theirs, "theirs")]
      let destination = Destination(type: "dotenv", location: ".env")
      let since = Moment(seconds: 6)
      try work.commit([
        .key(old, record, value: nil), .slot(slot, SlotRecord(revision: 1, key: old, since: since)),
        .slot(other, SlotRecord(revision: 1, key: theirs, since: since)),
        .target(target, TargetRecord(revision: 1, destination: destination, entries: entries)),
      ])
      let before = try work.recorded()
      try expect(.notRecorded) { try work.commit([.move(try Work.key("nobody"), to: new)]) }
      try expect(.exists) { try work.commit([.move(old, to: theirs)]) }
      try work.commit([.move(old, to: new), .migrated("move old new")])

      for store in [subject.store, try subject.reopened()] {
        let after = try store.recorded()
        let revision = after.store?.serial ?? 0
        let (one, two) = (
          store.fingerprint(Work.value("one"), of: new), store.fingerprint(Work.value("two"), of: new)
        )
        try expect(after.migrated, ["move old new"])
        try expect(Set(after.keys.keys), [new, theirs])
        try expect(after.keys[theirs], before.keys[theirs])
        try expect(after.keys[new]?.facts, record.facts)
        try expect(after.keys[new]?.revision, revision)
        try expect(after.keys[new]?.version.number, record.version.number)
        try expect(after.keys[new]?.version.origin, record.version.origin)
        try expect(after.keys[new]?.version.fingerprint, two)
        try expect(after.keys[new]?.history.map(\.fingerprint), [one])
        try expect(after.keys[new]?.rejected, one)
        try expect(after.slots[slot], SlotRecord(revision: revision, key: new, since: since))
        try expect(after.slots[other], before.slots[other])
        try expect(after.targets[target]?.revision, revision)
        try expect(
          after.targets[target]?.entries["A"],
          TargetRecord.Entry(key: new, fingerprint: two, syncedAt: Moment(seconds: 7)))
        try expect(after.targets[target]?.entries["B"]?.key, new)
        try expect(
          after.targets[target]?.entries["B"]?.fingerprint == store.fingerprint(Work.value("gone"), of: new), false)
        try expect(after.targets[target]?.entries["C"], entries["C"])
        try expect(try Work(store).text("new"), "two")
        try expect(try Work(store).text("new", version: 1), "one")
        try expect(.notRecorded) { _ = try Work(store).text("old") }
      }
      try work.write("old", ["another"])
      try expect(try Work(try subject.reopened()).text("old"), "another")
      try work.commit([.recipients(before.recipients, freshRoot: true)])
      try expect(try Work(try subject.reopened()).text("new", version: 1), "one")
      try expect(try work.recorded().migrated, ["move old new"])
    },
    Promise(description: "what was allowed stays allowed") { subject in
      let work = Work(subject.store)
      let items: Set = [ExternalAccess(.command, "op read x"), ExternalAccess(.host, "vault.example:8200")]
      try work.commit(items.map { RecordChange.allow($0, []) })
      try expect(Set(try subject.reopened().recorded().surface.items), items)
      guard let last = items.first else { return }
      try work.commit(items.subtracting([last]).map(RecordChange.disallow))
      try expect(Set(try subject.reopened().recorded().surface.items), [last])
      try work.commit([.disallow(ExternalAccess(.host, "was never allowed")), .allow(last, [])])
      try expect(Set(try work.recorded().surface.items), [last])
      let terms: Set = ["variable GH_TOKEN", "file ./vault.sh sha256:00"]
      try work.commit([.allow(last, terms)])
      try expect(try subject.reopened().recorded().surface[last], terms)
      try work.commit([.disallow(last)])
      try expect(try subject.reopened().recorded().surface.isEmpty, true)
    },
    Promise(description: "what protects keys is remembered, and so are the plans that were last applied") { subject in
      let work = Work(subject.store)
      let demands: Set<Guards.Demand> = [
        Guards.Demand(rule: "fresh", keys: nil, words: "younger than 90 days"),
        Guards.Demand(rule: "none", keys: [], words: "not from env"),
      ]
      let guards = Guards(demands: demands, waivers: ["target.app takes over"])
      try work.commit([.guards(guards)])
      try expect(try subject.reopened().recorded().guards, guards)
      try work.commit(
        (0..<AppliedPlan.limit + 5).map { .applied(AppliedPlan(id: "kp1-\($0)", at: Moment(seconds: 1))) })
      try work.commit([.applied(AppliedPlan(id: "kp1-7", at: Moment(seconds: 2)))])
      let applied = try subject.reopened().recorded().applied
      try expect(applied.count, AppliedPlan.limit)
      try expect(applied.first?.id, "kp1-5")
      try expect(applied.last, AppliedPlan(id: "kp1-7", at: Moment(seconds: 2)))
      try expect(applied.count { $0.id == "kp1-7" }, 1)
    },
    Promise(description: "a plan is remembered with who applied it, what was done, and whether that was all") {
      subject in
      let work = Work(subject.store)
      guard let ci = Identifier<Recipient>("ci") else { return }
      let job = JobFacts(
        service: "GitHub", actor: "octocat", workflow: "deploy", commit: "c0ffee1",
        url: "https://github.example/ada/shop/actions/runs/7")
      let invocation = Invocation(command: "keyplan apply", recipient: ci, job: job)
      let begun = AppliedPlan(id: "kp1-a", at: Moment(seconds: 1), isIncomplete: true, invocation: invocation)
      try work.commit([.applied(begun)])
      try expect(try subject.reopened().recorded().applied, [begun])
      try expect(try subject.reopened().recorded().store?.lastPlan, begun)
      let done = AppliedPlan(
        id: "kp1-a", at: Moment(seconds: 2), invocation: invocation, done: ["store": 2, "sync": 1],
        serial: 7)
      try work.commit([.applied(done)])
      try expect(try subject.reopened().recorded().applied, [done])
      let bare = AppliedPlan(
        id: "kp1-b", at: Moment(seconds: 3), invocation: Invocation(command: "a program", recipient: nil))
      try work.commit([.applied(bare)])
      try expect(try subject.reopened().recorded().applied, [done, bare])
    },
    Promise(description: "the serial grows by one with each commit, and the last commit's moment is known") { subject in
      let work = Work(subject.store)
      try expect(try work.recorded().store?.appliedAt, nil)
      let serial = try subject.store.commit(
        [.allow(ExternalAccess(.host, "a"), [])], expecting: work.start, at: Moment(seconds: 77))
      try expect(serial, work.start + 1)
      let state = try subject.reopened().recorded().store
      try expect(state?.serial, work.start + 1)
      try expect(state?.appliedAt, Moment(seconds: 77))
    },
    Promise(description: "no changes write nothing") { subject in
      let work = Work(subject.store)
      try expect(try subject.store.commit([], expecting: work.start, at: Moment(seconds: 1)), work.start)
      try expect(try work.recorded().store?.appliedAt, nil)
    },
    Promise(description: "changes made for another serial are stale and change nothing") { subject in
      let work = Work(subject.store)
      for serial in [work.start - 1, work.start + 1] {
        try expect(.stale) {
          _ = try subject.store.commit(
            [.allow(ExternalAccess(.host, "a"), [])], expecting: serial, at: Moment(seconds: 1))
        }
        try expect(.stale) { _ = try subject.store.commit([], expecting: serial, at: Moment(seconds: 1)) }
      }
      try expect(try work.recorded().surface.isEmpty, true)
    },
    Promise(description: "equal values have equal fingerprints for one key and others for another key") { subject in
      let (one, two) = (try Work.key("one"), try Work.key("two"))
      let print = subject.store.fingerprint(Work.value("same"), of: one)
      try expect(try subject.reopened().fingerprint(Work.value("same"), of: one), print)
      try expect(subject.store.fingerprint(Work.value("same"), of: two) == print, false)
      try expect(subject.store.fingerprint(Work.value("other"), of: one) == print, false)
    },
    Promise(description: "codes of plans are 32 bytes, the same for the same bytes, and end with the root") { subject in
      let code = subject.store.planCode(of: [1, 2, 3])
      try expect(code.count, 32)
      try expect(try subject.reopened().planCode(of: [1, 2, 3]), code)
      try expect(subject.store.planCode(of: [1, 2]) == code, false)
      let recipients = try subject.store.recorded().recipients
      try Work(subject.store).commit([.recipients(recipients, freshRoot: true)])
      try expect(subject.store.planCode(of: [1, 2, 3]) == code, false)
    },
    Promise(description: "a signature of a plan is known again, for these bytes and under this root") { subject in
      let signature = subject.store.signature(ofPlan: [1, 2, 3])
      try expect(try subject.reopened().signer(ofPlan: [1, 2, 3], signature), .full)
      try expect(subject.store.signer(ofPlan: [1, 2], signature), nil)
      let recipients = try subject.store.recorded().recipients
      try Work(subject.store).commit([.recipients(recipients, freshRoot: true)])
      try expect(subject.store.signer(ofPlan: [1, 2, 3], signature), nil)
    },
    Promise(description: "a fresh root keeps every value and derives every fingerprint again") { subject in
      let work = Work(subject.store)
      let key = try Work.key("k")
      try work.write("k", ["one"])
      var record = try work.write("k", ["two", "one"])
      record.rejected = record.history.first?.fingerprint
      guard let target = Identifier<Target>("app") else { return }
      let entry = TargetRecord.Entry(key: key, fingerprint: record.version.fingerprint, syncedAt: Moment(seconds: 7))
      let lost = TargetRecord.Entry(
        key: key, fingerprint: subject.store.fingerprint(Work.value("gone"), of: key), syncedAt: Moment(seconds: 7))
      let destination = Destination(type: "dotenv", location: ".env")
      let targetRecord = TargetRecord(revision: 1, destination: destination, entries: ["A": entry, "B": lost])
      try work.commit([.key(key, record, value: nil), .target(target, targetRecord)])
      let before = try work.recorded()
      try work.write("new", ["in the same commit"], beside: [.recipients(before.recipients, freshRoot: true)])

      for store in [subject.store, try subject.reopened()] {
        let after = try store.recorded()
        try expect(after.store?.epoch, (before.store?.epoch ?? 0) + 1)
        try expect(after.store?.id, before.store?.id)
        let two = store.fingerprint(Work.value("two"), of: key)
        let one = store.fingerprint(Work.value("one"), of: key)
        try expect(two == record.version.fingerprint, false)
        try expect(after.keys[key]?.version.fingerprint, two)
        try expect(after.keys[key]?.history.map(\.fingerprint), [one])
        try expect(after.keys[key]?.rejected, one)
        try expect(after.targets[target]?.entries["A"]?.fingerprint, two)
        let gone = after.targets[target]?.entries["B"]?.fingerprint
        try expect(gone == nil || gone == lost.fingerprint, false)
        try expect(gone == store.fingerprint(Work.value("gone"), of: key), false)
        try expect(try Work(store).text("k"), "two")
        try expect(try Work(store).text("k", version: 1), "one")
        try expect(try Work(store).text("new"), "in the same commit")
      }
    },
  ]

  static func expect<Value: Equatable>(_ found: Value, _ wanted: Value, line: UInt = #line) throws {
    guard found == wanted else {
      throw BrokenPromise(description: "Expected \(wanted), found \(found) (line \(line)).")
    }
  }

  static func expect(_ code: StoreError.Code, line: UInt = #line, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as StoreError where error.code == code {
      return
    }
    throw BrokenPromise(description: "Expected the error \(code), but nothing was thrown (line \(line)).")
  }
}

/// Makes successive commits to a store.
struct Work {
  let store: any RecordStoreContract.Store
  let start: Int64

  init(_ store: any RecordStoreContract.Store) {
    self.store = store
    start = (try? store.recorded().store?.serial) ?? -1
  }

  func recorded() throws -> Recorded { try store.recorded() }

  func commit(_ changes: [RecordChange], at now: Int64 = 1000) throws {
    let serial = try store.recorded().store?.serial ?? -1
    _ = try store.commit(changes, expecting: serial, at: Moment(seconds: now))
  }

  /// Writes a key whose first text is its new value and whose other texts are the history, newest first.
  @discardableResult
  func write(_ name: String, _ texts: [String], beside others: [RecordChange] = []) throws -> KeyRecord {
    let key = try Self.key(name)
    let old = try store.recorded().keys[key]
    let before = old.map { [$0.version] + $0.history } ?? []
    let history = texts.dropFirst().compactMap { text in
      before.first { $0.fingerprint == store.fingerprint(Self.value(text), of: key) }
    }
    let value = Self.value(texts.first ?? "")
    let record = Self.record(
      store.fingerprint(value, of: key), number: (before.first?.number ?? 0) + 1, history: history)
    try commit([.key(key, record, value: value)] + others)
    return record
  }

  func text(_ name: String, version: Int64? = nil) throws -> String {
    try store.value(of: try Self.key(name), version: version).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  static func key(_ name: String) throws -> Identifier<Key> {
    guard let key = Identifier<Key>(name) else {
      throw RecordStoreContract.BrokenPromise(description: "\(name) is not a valid name.")
    }
    return key
  }

  static func value(_ text: String) -> SecretBox { SecretBox(Array(text.utf8)) }

  /// A record with a value in every field.
  static func record(_ fingerprint: Fingerprint, number: Int64, history: [KeyVersion]) -> KeyRecord {
    var texts = KeyTexts()
    for text in KeyText.allCases { texts[text] = "the \(text)" }
    let facts = KeyFacts(
      provider: "openai", texts: texts, variable: "OPENAI_API_KEY", ownsVariable: true,
      expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire), issued: Moment(seconds: -3),
      sources: ["env://A", "dotenv://.env#B"], isProtected: true, labels: ["team": "köln", "a": ""], recipients: nil)
    let origin: String? = number % 3 == 0 ? nil : number % 3 == 1 ? "dotenv://.env#B" : "env://LEFT_LONG_AGO"
    let version = KeyVersion(
      number: number, fingerprint: fingerprint, storedAt: Moment(seconds: 1_700_000_000 + number),
      issuedAt: number % 2 == 0 ? Moment(seconds: -3) : nil, origin: origin,
      missedFormat: number % 2 == 1 ? "sk-[a-z]{20}" : nil)
    return KeyRecord(revision: number, facts: facts, version: version, history: history)
  }
}
