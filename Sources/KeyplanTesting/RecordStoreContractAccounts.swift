import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

extension RecordStoreContract {
  static let accounts = [
    Promise(description: "an account's record and its tokens come back as they were, byte by byte") { subject in
      let id = try name("home")
      let bytes = Array(0...255 as ClosedRange<UInt8>)
      let record = record()
      try commit([.account(id, record, tokens: tokens(bytes, Array("r".utf8)))], to: subject.store)
      for store in [subject.store, try subject.reopened()] {
        try expect(try store.recorded().accounts, [id: record])
        try expect(try texts(store, id), [bytes, Array("r".utf8)])
      }
      let bare = AccountRecord(revision: 3, facts: AccountFacts(service: .caldav, account: "ü", url: "https://dav/"))
      try commit([.account(id, bare, tokens: nil)], to: subject.store)
      try expect(try subject.reopened().recorded().accounts, [id: bare])
      try expect(try subject.reopened().tokens(of: id) == nil, true)
    },
    Promise(description: "without tokens those that are recorded are kept, and a sign-in without any is refused") {
      subject in
      let id = try name("home")
      try expect(.notRecorded) { try commit([.account(id, record(), tokens: nil)], to: subject.store) }
      try expect(try subject.store.recorded().accounts, [:])
      try commit([.account(id, record(), tokens: tokens(nil, [7]))], to: subject.store)
      var next = record()
      next.signIn?.refreshBegan = Moment(seconds: 9)
      next.signIn?.access = .unlimited
      next.calendar = nil
      try commit([.account(id, next, tokens: nil)], to: subject.store)
      try expect(try subject.reopened().recorded().accounts, [id: next])
      try expect(try texts(try subject.reopened(), id), [nil, [7]])
      try commit([.account(id, next, tokens: tokens([1], [8]))], to: subject.store)
      try expect(try texts(try subject.reopened(), id), [[1], [8]])
    },
    Promise(description: "an account that is removed is gone with its tokens, and its name can be used again") {
      subject in
      let id = try name("home")
      try commit([.account(id, record(), tokens: tokens([1], [2]))], to: subject.store)
      try commit([.account(id, nil, tokens: nil)], to: subject.store)
      try expect(try subject.reopened().recorded().accounts, [:])
      try expect(.notRecorded) { _ = try subject.store.tokens(of: id) }
      try expect(.notRecorded) { try commit([.account(id, record(), tokens: nil)], to: subject.store) }
      try commit([.account(id, record(), tokens: tokens([3], nil))], to: subject.store)
      try expect(try texts(try subject.reopened(), id), [[3], nil])
    },
    Promise(description: "a fresh root keeps accounts and tokens, and knows a token that was taken over as no other") {
      subject in
      let (id, other) = (try name("home"), try name("other"))
      let print = subject.store.fingerprint(SecretBox([5]), of: id)
      try expect(print == subject.store.fingerprint(SecretBox([5]), of: other), false)
      var adopting = record()
      adopting.signIn?.adopted = print
      try commit([.account(id, adopting, tokens: tokens([1], [5]))], to: subject.store)
      try expect(try subject.reopened().recorded().accounts[id]?.signIn?.adopted, print)
      let recipients = try subject.store.recorded().recipients
      try commit(
        [.account(other, record(), tokens: tokens([3], [4])), .recipients(recipients, freshRoot: true)],
        to: subject.store)
      for store in [subject.store, try subject.reopened()] {
        try expect(try texts(store, id), [[1], [5]])
        try expect(try texts(store, other), [[3], [4]])
        var found = try store.recorded().accounts[id]
        try expect(found?.signIn?.adopted == nil, false)
        try expect(found?.signIn?.adopted == store.fingerprint(SecretBox([5]), of: id), false)
        found?.signIn?.adopted = print
        try expect(found, adopting)
      }
    },
    Promise(description: "a key, a slot, a target and an account of one name do not meet") { subject in
      let id = try name("k")
      guard let slot = Identifier<Slot>("k"), let key = Identifier<Key>("k") else { return }
      try commit(
        [
          .account(id, record(), tokens: tokens([1], [2])),
          .slot(slot, SlotRecord(revision: 1, key: key, since: Moment(seconds: 1))),
        ], to: subject.store)
      try expect(try subject.reopened().recorded().accounts.count, 1)
      try expect(try subject.reopened().recorded().slots.count, 1)
      try expect(try subject.reopened().recorded().keys.count, 0)
    },
  ]

  private static func name(_ text: String) throws -> Identifier<Account> {
    guard let name = Identifier<Account>(text) else { throw BrokenPromise(description: "\(text) is not a valid name.") }
    return name
  }

  private static func commit(_ changes: [RecordChange], to store: any Store) throws {
    let serial = try store.recorded().store?.serial ?? -1
    _ = try store.commit(changes, expecting: serial, at: Moment(seconds: 1000))
  }

  private static func tokens(_ access: [UInt8]?, _ refresh: [UInt8]?) -> AccountTokens {
    AccountTokens(access: access.map { SecretBox($0) }, refresh: refresh.map { SecretBox($0) })
  }

  private static func texts(_ store: any Store, _ id: Identifier<Account>) throws -> [[UInt8]?] {
    let tokens = try store.tokens(of: id)
    return [tokens?.access, tokens?.refresh].map { $0.map { $0.withBytes { Array($0) } } }
  }

  /// A record with a value in every field.
  private static func record() -> AccountRecord {
    let facts = AccountFacts(
      service: .outlook, account: "ada@contoso.com", client: "6731de76", tenant: "contoso.com", url: "https://x/",
      endpoints: [.token: "https://t/", .api: "https://a/"])
    let signIn = SignInRecord(
      signedInAt: Moment(seconds: -5), refreshedAt: Moment(seconds: 6), access: .until(Moment(seconds: 7)),
      isRefreshable: true, isTesting: true, missing: ["Calendars.Read", ""], endsAt: Moment(seconds: 8), epoch: 300,
      refreshBegan: Moment(seconds: 9), unanswered: Moment(seconds: 10),
      ended: AccountEnd(.personNeeded, code: "interaction_required", at: Moment(seconds: 11)),
      refreshAt: Moment(seconds: 12))
    return AccountRecord(
      revision: 2, facts: facts, calendar: AccountCalendar(id: "c1", name: "Tëam", isPrimary: true), signIn: signIn,
      refusal: AccountRefusal(.secretExpired, code: "invalid_client, AADSTS7000222", since: Moment(seconds: 13)))
  }
}
