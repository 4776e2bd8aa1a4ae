import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets

extension RecordStoreContract {
  static let leaks = [
    Promise(
      description:
        "a revocation comes back as it was, also under a fresh root key and another name, as long as the value is kept"
    ) { subject in
      let work = Work(subject.store)
      let (k, moved) = (try Work.key("k"), try Work.key("moved"))
      try work.write("k", ["one"])
      var record = try work.write("k", ["two", "one"])
      record = record.revoking(reason: "leaked in a lög", revision: 9, at: Moment(seconds: 70))
      record.revoked.append(
        Revocation(fingerprint: record.history[0].fingerprint, version: 1, at: Moment(seconds: 71)))
      try work.commit([.key(k, record, value: nil)])
      try expect(try subject.reopened().recorded().keys[k], record)
      try work.commit([.recipients(try work.recorded().recipients, freshRoot: true)])
      try work.commit([.move(k, to: moved)])
      let found = try subject.reopened().recorded().keys[moved]
      try expect(found?.revocation?.reason, "leaked in a lög")
      try expect(found?.revoked.map(\.version), [2, 1])
      try expect(found?.revoked.map(\.fingerprint), found.map { [$0.version.fingerprint, $0.history[0].fingerprint] })
      try work.commit([.forget(moved)])
      try expect(try subject.reopened().recorded().forgotten.first?.record.revoked, found?.revoked)
    },
    Promise(
      description:
        "what a provider said about a value comes back as it was, also under a fresh root key and another name, and ends with it"
    ) { subject in
      let work = Work(subject.store)
      let (k, moved) = (try Work.key("k"), try Work.key("moved"))
      var record = try work.write("k", ["one"])
      let check = KeyCheck(.invalid, at: Moment(seconds: 80), expires: Moment(seconds: 90))
      record = record.checked(check, revision: 9)
      try work.commit([.key(k, record, value: nil)])
      try expect(try subject.reopened().recorded().keys[k], record)
      try work.commit([.recipients(try work.recorded().recipients, freshRoot: true)])
      try work.commit([.move(k, to: moved)])
      try expect(try subject.reopened().recorded().keys[moved]?.version.check, check)
      try work.write("moved", ["two", "one"])
      let next = try subject.reopened().recorded().keys[moved]
      try expect(next?.version.check, nil)
      try work.commit([.forget(moved)])
    },
    Promise(description: "who leaves knows every value and token that is recorded then, and none that comes after") {
      subject in
      let work = Work(subject.store)
      let (k, gone) = (try Work.key("k"), try Work.key("gone"))
      guard let anna = Identifier<Recipient>("anna"), let home = Identifier<Account>("home") else { return }
      try work.write("k", ["one"])
      try work.write("k", ["two", "one"])
      try work.write("gone", ["theirs"])
      try work.commit([.forget(gone)])
      let signIn = SignInRecord(signedInAt: Moment(seconds: 1), access: .unlimited, isRefreshable: true)
      let account = AccountRecord(
        revision: 2, facts: AccountFacts(service: .google, account: "a@example.org"), signIn: signIn)
      try work.commit([
        .account(home, account, tokens: AccountTokens(access: Work.value("a"), refresh: Work.value("r")))
      ])
      let recipients = try work.recorded().recipients
      try work.commit([.recipients(recipients, freshRoot: true, leaving: [anna])], at: 5000)
      let exposed = [Exposure(recipient: anna, since: Moment(seconds: 5000))]
      let found = try subject.reopened().recorded()
      try expect(found.keys[k]?.version.exposures, exposed)
      try expect(found.keys[k]?.history.map(\.exposures), [exposed])
      try expect(found.forgotten.map(\.record.version.exposures), [exposed])
      try expect(found.accounts[home]?.signIn?.exposures, exposed)
      try expect(try Work(try subject.reopened()).text("k"), "two")
      try work.write("k", ["three", "two"])
      let after = try subject.reopened().recorded().keys[k]
      try expect(after?.version.exposures, [])
      try expect(after?.history.map(\.exposures), [exposed])
      try work.commit([.recipients(recipients, freshRoot: true, leaving: [anna])], at: 6000)
      let again = try subject.reopened().recorded().keys[k]
      try expect(again?.version.exposures.map(\.since.seconds), [6000])
      try expect(again?.history.map { $0.exposures.map(\.since.seconds) }, [[5000]])
    },
    Promise(description: "purging deletes the earlier values and the forgotten records of a key, and no other") {
      subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      try work.write("k", ["old"])
      try work.commit([.forget(k)])
      try work.write("k", ["one"])
      try work.write("k", ["two", "one"])
      try work.write("z", ["a"])
      try work.write("z", ["b", "a"])
      try work.commit([.purge(k, isAll: false)])
      let found = try subject.reopened()
      try expect(try found.recorded().keys[k]?.history, [])
      try expect(try found.recorded().keys[k]?.version.number, 2)
      try expect(try found.recorded().forgotten, [])
      try expect(try Work(found).text("k"), "two")
      try expect(.notRecorded) { _ = try Work(found).text("k", version: 1) }
      try expect(try Work(found).text("z", version: 1), "a")
      try work.write("k", ["three", "two"])
      try expect(try Work(try subject.reopened()).text("k", version: 2), "two")
    },
    Promise(description: "purging everything deletes the record with its current value, and the name can be used again")
    {
      subject in
      let work = Work(subject.store)
      let k = try Work.key("k")
      try work.write("k", ["one"])
      try work.write("k", ["two", "one"])
      try work.commit([.purge(k, isAll: true)])
      try expect(try subject.reopened().recorded().keys, [:])
      try expect(try subject.reopened().recorded().forgotten, [])
      try expect(.notRecorded) { _ = try work.text("k") }
      try work.commit([.purge(k, isAll: true)])
      try work.write("k", ["another"])
      try expect(try Work(try subject.reopened()).text("k"), "another")
    },
  ]
}
