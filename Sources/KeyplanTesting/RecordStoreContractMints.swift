import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets

extension RecordStoreContract {
  static let mints = [
    Promise(description: "a value that is made and not used yet comes back beside the current one, and becomes it") {
      subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      try work.write("k", ["one"])
      var record = try work.made("two", for: k, id: "id-2")
      try work.commit([.key(k, record, value: Work.value("two"))])
      try expect(try subject.reopened().recorded().keys[k], record)
      let again = Work(try subject.reopened())
      try expect(try again.text("k"), "one")
      try expect(try again.text("k", version: 2), "two")
      record.retiredAt = Moment(seconds: 4)
      try work.commit([.key(k, record, value: nil)])
      try expect(try work.text("k", version: 2), "two")
      guard let used = record.usingPending(KeyWrite(record.facts, .minted(isChecked: false)), nil, revision: 9) else {
        throw BrokenPromise(description: "There is no pending value.")
      }
      try work.commit([.key(k, used, value: nil)])
      try expect(try subject.reopened().recorded().keys[k], used)
      try expect(try work.text("k"), "two")
      try expect(try work.text("k", version: 1), "one")
    },
    Promise(description: "the first value can be current and not used yet") { subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      let record = KeyRecord.minted(
        KeyFacts.bare, subject.store.fingerprint(Work.value("one"), of: k), over: nil, after: nil,
        revision: 2, at: Moment(seconds: 7))
      try work.commit([.key(k, record, value: Work.value("one"))])
      try expect(try subject.reopened().recorded().keys[k], record)
      try expect(try work.text("k"), "one")
    },
    Promise(description: "a pending value needs a stored one, and another one takes its place") { subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      try work.write("k", ["one"])
      let first = try work.made("two", for: k, id: "id-2")
      try expect(.notRecorded) { try work.commit([.key(k, first, value: nil)]) }
      try work.commit([.key(k, first, value: Work.value("two"))])
      let second = try work.made("three", for: k, id: "id-3")
      try work.commit([.key(k, second, value: Work.value("three"))])
      try expect(try work.text("k", version: 3), "three")
      try expect(.notRecorded) { _ = try work.text("k", version: 2) }
      try expect(try subject.reopened().recorded().keys[k]?.issued.map(\.id), ["id-2", "id-3"])
    },
    Promise(
      description: "what is made follows its key under another name and a fresh root key, and is forgotten and restored"
    ) { subject in
      let work = Work(subject.store)
      let (k, moved) = (try Work.key("k"), try Work.key("moved"))
      try work.write("k", ["one"])
      let record = try work.made("two", for: k, id: "id-2")
      try work.commit([.key(k, record, value: Work.value("two"))])
      try work.commit([.recipients(try work.recorded().recipients, freshRoot: true)])
      try work.commit([.move(k, to: moved)])
      let found = try subject.reopened().recorded().keys[moved]
      try expect(found?.issued, record.issued)
      try expect(found?.pending?.fingerprint, subject.store.fingerprint(Work.value("two"), of: moved))
      try expect(try work.text("moved", version: 2), "two")
      try work.commit([.forget(moved)])
      let serial = try work.recorded().forgotten.first?.serial ?? 0
      try work.commit([.restore(moved, forgotten: serial)])
      try expect(try Work(try subject.reopened()).text("moved", version: 2), "two")
      try work.commit([.purge(moved, isAll: false)])
      try expect(try Work(try subject.reopened()).text("moved", version: 2), "two")
    },
    Promise(
      description: "a request whose answer may be lost is remembered until it is not, under its key's next name, too"
    ) {
      subject in
      let work = Work(subject.store)
      let (k, moved) = (try Work.key("k"), try Work.key("moved"))
      let place = Destination(type: "issuer", location: "project ü", surface: ExternalAccess(.host, "api.example"))
      let attempts = [
        MintAttempt(place: place, label: "keyplan/x/k/7", began: Moment(seconds: 40)),
        MintAttempt(place: place, label: "", known: [], began: Moment(seconds: 41)),
        MintAttempt(place: place, label: "l", known: ["a", "b"], lost: ["c"], began: Moment(seconds: 8)),
        MintAttempt(place: place, label: "l", began: Moment(seconds: 42), unexplained: ["a", "b"]),
        MintAttempt(
          place: place, label: "m", known: ["a"], began: Moment(seconds: 42), unexplained: ["b"], late: ["l", "m"]),
      ]
      try work.write("k", ["one"])
      for attempt in attempts {
        try work.commit([.mint(k, attempt)])
        try expect(try subject.reopened().recorded().mints, [k: attempt])
      }
      try work.commit([.move(k, to: moved)])
      try expect(Array(try subject.reopened().recorded().mints.keys), [moved])
      try work.commit([.mint(moved, nil)])
      try expect(try subject.reopened().recorded().mints, [:])
    },
  ]
}

extension Work {
  /// The record of a key once another one was made for it.
  fileprivate func made(_ text: String, for key: Identifier<Key>, id: String) throws -> KeyRecord {
    let old = try recorded().keys[key]
    var record = KeyRecord.minted(
      old?.facts ?? KeyFacts.bare, store.fingerprint(Self.value(text), of: key), over: old, after: nil,
      revision: 9, at: Moment(seconds: 50))
    let place = Destination(type: "issuer", location: "", surface: ExternalAccess(.host, "api.example"))
    record.issued.append(
      IssuedKey(
        id: id, label: "label \(id)", place: place, version: record.pending?.number ?? 0,
        mintedAt: Moment(seconds: 50), expires: Moment(seconds: 90), disabledAt: Moment(seconds: 60)))
    return record
  }
}

extension KeyFacts {
  /// Of a key of which nothing but its provider is known.
  static var bare: KeyFacts {
    KeyFacts(
      provider: "openai", texts: KeyTexts(), variable: nil, ownsVariable: false, expiry: nil, issued: nil, sources: [],
      isProtected: false, labels: [:], recipients: nil)
  }
}
