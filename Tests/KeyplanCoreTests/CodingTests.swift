import Foundation
import KeyplanCore
import Testing

/// Saved plans are JSON: its text must not change from one version to the next.
@Suite struct CodingTests {
  static let facts = KeyFacts(
    provider: "openai", model: "gpt", variable: "A", ownsVariable: true,
    expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire), issued: now, sources: ["env://A"],
    isProtected: true, labels: ["team": "ml"])
  static let factsText =
    #"{"expiry":{"limit":{"after":7776000},"then":"retire","warn":1209600},"isProtected":true,"issued":"2027-01-15T08:00:00Z","#
    + #""labels":{"team":"ml"},"model":"gpt","ownsVariable":true,"provider":"openai","sources":["env://A"],"variable":"A"}"#
  static let outside = Destination(type: "dotenv", location: "/a", surface: ExternalAccess(.path, "/a"))
  static let outsideText = #"{"location":"/a","surface":{"kind":"path","text":"/a"},"type":"dotenv"}"#

  static let account = AccountFacts(
    service: .outlook, account: "a", client: "c", tenant: "t", url: "u", endpoints: [.token: "https://t/"])
  static let accountText =
    #"{"account":"a","client":"c","endpoints":{"token":"https://t/"},"service":"outlook","tenant":"t","url":"u"}"#

  static let effects: [(effect: Effect, text: String)] = [
    (.allow(AccessGrant(["timeout 5s"])), #"{"action":"allow","grant":{"terms":["timeout 5s"]}}"#),
    (
      .allow(AccessGrant(["variable A"], was: ["timeout 5s"])),
      #"{"action":"allow","grant":{"terms":["variable A"],"was":["timeout 5s"]}}"#
    ),
    (.disallow, #"{"action":"disallow"}"#),
    (
      .rewrap(
        Rewrap(
          recipients: [.init(name: named("ada"), value: Recipient(publicKey: "age1x", role: .plan))], added: ["ada"],
          removed: ["ci"])),
      #"{"action":"rewrap","recipients":{"added":["ada"],"recipients":"#
        + #"[{"name":"ada","value":{"publicKey":"age1x","role":"plan"}}],"removed":["ci"]}}"#
    ),
    (
      .adopt(KeyWrite(facts: facts, source: nil), from: "dotenv://.env#A"),
      #"{"action":"adopt","from":"dotenv://.env#A","write":{"facts":\#(factsText)}}"#
    ),
    (
      .remove(.key(named("a")), from: "dotenv://.env#A"), #"{"action":"remove","from":"dotenv://.env#A","key":"a"}"#
    ),
    (
      .remove(.account(named("a")), from: "file://t"), #"{"action":"remove","calendar":"a","from":"file://t"}"#
    ),
    (.move(from: named("old")), #"{"action":"move","from":"old"}"#),
    (
      .store(KeyWrite(facts: facts, source: 0)), #"{"action":"store","write":{"facts":\#(factsText),"source":0}}"#
    ),
    (.replace(KeyWrite(facts: facts, source: nil)), #"{"action":"replace","write":{"facts":\#(factsText)}}"#),
    (.update(KeyWrite(facts: facts, source: 1)), #"{"action":"update","write":{"facts":\#(factsText),"source":1}}"#),
    (.activate(named("a"), was: named("b")), #"{"action":"activate","key":"a","was":"b"}"#),
    (.activate(named("a"), was: nil), #"{"action":"activate","key":"a"}"#),
    (.deactivate(was: named("b")), #"{"action":"deactivate","was":"b"}"#),
    (
      .sync(TargetWrite(destination: outside, entries: [.init(name: "K", key: named("a"), reason: .new)], total: 2)),
      #"{"action":"sync","target":{"destination":\#(outsideText),"entries":"#
        + #"[{"key":"a","name":"K","reason":"new"}],"total":2}}"#
    ),
    (
      .withdraw(TargetRemoval(destination: place("b"), names: ["K"], released: ["L"], isMove: true)),
      #"{"action":"withdraw","removal":{"destination":{"location":"b","type":"dotenv"},"isMove":true,"#
        + #""names":["K"],"released":["L"]}}"#
    ),
    (.settle, #"{"action":"settle"}"#),
    (.retire, #"{"action":"retire"}"#),
    (.forget, #"{"action":"forget"}"#),
    (
      .rollback(KeyRollback(to: 2, was: 3, rejected: Fingerprint(0..<16))),
      #"{"action":"rollback","rollback":{"rejected":"000102030405060708090a0b0c0d0e0f","to":2,"was":3}}"#
    ),
    (
      .restore(KeyRestoration(serial: 9, rejected: nil)), #"{"action":"restore","restoration":{"serial":9}}"#
    ),
    (
      .accept(KeyAcceptance(target: named("app"), destination: outside, name: "K", rejected: nil)),
      #"{"acceptance":{"destination":\#(outsideText),"name":"K","target":"app"},"action":"accept"}"#
    ),
    (
      .authorize(AccountNeed(facts: account, reason: .scopesMissing, missing: ["x"])),
      #"{"action":"authorize","need":{"facts":\#(accountText),"missing":["x"],"reason":"scopesMissing"}}"#
    ),
    (
      .adoptToken(from: "env://T", account), #"{"account":\#(accountText),"action":"adoptToken","from":"env://T"}"#
    ),
    (
      .refresh(AccountRefresh(facts: account, reason: .expired, epoch: 3)),
      #"{"action":"refresh","refresh":{"epoch":3,"facts":\#(accountText),"reason":"expired"}}"#
    ),
    (
      .select(
        AccountSelection(
          facts: account, calendar: AccountCalendar(id: "i", name: "N", isPrimary: true), wanted: "N", was: nil)),
      #"{"action":"select","selection":{"calendar":{"id":"i","isPrimary":true,"name":"N"},"#
        + #""facts":\#(accountText),"wanted":"N"}}"#
    ),
    (
      .signOut(AccountSignOut(facts: account, revokes: true)),
      #"{"action":"signOut","signOut":{"facts":\#(accountText),"revokes":true}}"#
    ),
  ]

  @Test("every effect has one text, and reads back from it", arguments: effects)
  func effect(effect: Effect, text: String) throws {
    #expect(try Self.text(effect) == text)
    #expect(try JSONDecoder().decode(Effect.self, from: Data(text.utf8)) == effect)
  }

  @Test("a step has one text, and reads back from it")
  func step() throws {
    let step = Step(
      .retire, at: .key(named("a")), because: .expiry,
      on: Precondition(
        revision: 3, source: Fingerprint(0..<16), target: ["K": Fingerprint(16..<32)].compactMapValues(\.self)),
      after: [.slot(named("s")), .entry(named("app"), name: "K"), .recipients])
    let text =
      #"{"address":"key.a","after":["active.s","target.app.K","recipients"],"cause":"expiry","effect":{"action":"retire"},"#
      + #""ground":{"revision":3,"source":"000102030405060708090a0b0c0d0e0f","#
      + #""target":{"K":"101112131415161718191a1b1c1d1e1f"}}}"#
    #expect(try Self.text(step) == text)
    #expect(try JSONDecoder().decode(Step.self, from: Data(text.utf8)) == step)
  }

  @Test("limits on a date and allowances have one text")
  func others() throws {
    let expiry = Expiry(.on(now), warn: .days(1), then: .warn)
    #expect(try Self.text(expiry) == #"{"limit":{"on":"2027-01-15T08:00:00Z"},"then":"warn","warn":86400}"#)
    #expect(try JSONDecoder().decode(Expiry.self, from: Data(try Self.text(expiry).utf8)) == expiry)
    let text = #"{"forget":true,"overwrite":false,"retire":true}"#
    #expect(try Self.text(Allowances(forget: true, retire: true)) == text)
    #expect(try JSONDecoder().decode(Allowances.self, from: Data(text.utf8)) == Allowances(forget: true, retire: true))
    #expect(Allowances() == Allowances(forget: false, overwrite: false, retire: false))
  }

  static let foreign: [(kind: any (Decodable & Sendable).Type, text: String)] = [
    (Effect.self, #"{"action":"delete"}"#), (Effect.self, #"{"action":"store"}"#), (Effect.self, #"{}"#),
    (Identifier<Key>.self, #""A b""#), (Address.self, #""nowhere.a""#),
    (Moment.self, #"1800000000"#), (Moment.self, #""2027-02-30""#), (Expiry.Limit.self, #"{}"#),
    (Fingerprint.self, #""00""#), (Fingerprint.self, #""+00102030405060708090a0b0c0d0e0f""#),
    (Fingerprint.self, #""000102030405060708090A0B0C0D0E0F""#),
    (Fingerprint.self, #""000102030405060708090a0b0c0d0e0g""#),
  ]

  @Test("what nobody writes is not read")
  func refused() {
    for (kind, text) in Self.foreign {
      #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(kind, from: Data(text.utf8)) }
    }
  }

  @Test("a fingerprint is 16 bytes, and keeps them")
  func fingerprint() {
    #expect(Fingerprint(0..<15) == nil)
    #expect(Fingerprint(0..<17) == nil)
    #expect(Fingerprint(240...255)?.bytes == Array(240...255))
  }

  private static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
