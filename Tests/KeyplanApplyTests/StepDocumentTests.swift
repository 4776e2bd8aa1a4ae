import Foundation
import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

/// Saved plans are JSON: its text must not change from one version to the next.
@Suite struct StepDocumentTests {
  static let facts = KeyFacts(
    provider: "openai", model: "gpt", variable: "A", ownsVariable: true,
    expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire), issued: start, sources: ["env://A"],
    isProtected: true, labels: ["team": "ml"])
  static let factsText =
    #"{"expiry":{"limit":{"after":7776000},"then":"retire","warn":1209600},"isProtected":true,"issued":"\#(start)","#
    + #""labels":{"team":"ml"},"model":"gpt","ownsVariable":true,"provider":"openai","sources":["env://A"],"variable":"A"}"#
  static let outside = Destination(type: "dotenv", location: "/a", surface: ExternalAccess(.path, "/a"))
  static let outsideText = #"{"location":"/a","surface":{"kind":"path","text":"/a"},"type":"dotenv"}"#

  static let account = AccountFacts(
    service: .outlook, account: "a", client: "c", tenant: "t", url: "u", endpoints: [.token: "https://t/"])
  static let accountText =
    #"{"account":"a","client":"c","endpoints":{"token":"https://t/"},"service":"outlook","tenant":"t","url":"u"}"#

  private static let random = form(.base64url)
  private static let uuid = form(.uuid)

  private static func form(_ format: GeneratedValue.Format) -> GeneratedValue {
    guard let value = GeneratedValue(format) else { preconditionFailure("\(format) is no form") }
    return value
  }

  static let effects: [(effect: Effect, text: String)] = [
    (
      .store(.allow(ExternalAccess(.path, "/a"), AccessGrant(["timeout 5s"]))),
      #"{"action":"allow","grant":{"terms":["timeout 5s"]}}"#
    ),
    (
      .store(.allow(ExternalAccess(.path, "/a"), AccessGrant(["variable A"], was: ["timeout 5s"]))),
      #"{"action":"allow","grant":{"terms":["variable A"],"was":["timeout 5s"]}}"#
    ),
    (.store(.disallow(ExternalAccess(.path, "/a"))), #"{"action":"disallow"}"#),
    (
      .store(
        .rewrap(
          Rewrap(
            recipients: [.init(name: named("ada"), value: Recipient(publicKey: "age1x", role: .plan))], added: ["ada"],
            removed: ["ci"]))),
      #"{"action":"rewrap","recipients":{"added":["ada"],"recipients":"#
        + #"[{"name":"ada","value":{"publicKey":"age1x","role":"plan"}}],"removed":["ci"]}}"#
    ),
    (
      .store(.key(named("a"), .adopt(KeyWrite(facts: facts, source: nil), from: "dotenv://.env#A"))),
      #"{"action":"adopt","from":"dotenv://.env#A","write":{"facts":\#(factsText)}}"#
    ),
    (
      .store(.key(named("a"), .replace(KeyWrite(facts, .generated(random))))),
      #"{"action":"replace","write":{"facts":\#(factsText),"generate":{"bytes":32,"format":"base64url"}}}"#
    ),
    (
      .store(.key(named("a"), .store(KeyWrite(facts, .generated(uuid))))),
      #"{"action":"store","write":{"facts":\#(factsText),"generate":{"format":"uuid"}}}"#
    ),
    (
      .outside(.removeOriginal(migration: 1, of: .key(named("a")), from: "dotenv://.env#A")),
      #"{"action":"remove","from":"dotenv://.env#A","key":"a"}"#
    ),
    (
      .outside(.removeOriginal(migration: 1, of: .account(named("a")), from: "file://t")),
      #"{"action":"remove","calendar":"a","from":"file://t"}"#
    ),
    (.store(.key(named("a"), .move(from: named("old")))), #"{"action":"move","from":"old"}"#),
    (
      .store(.key(named("a"), .store(KeyWrite(facts: facts, source: 0)))),
      #"{"action":"store","write":{"facts":\#(factsText),"source":0}}"#
    ),
    (
      .store(.key(named("a"), .replace(KeyWrite(facts: facts, source: nil)))),
      #"{"action":"replace","write":{"facts":\#(factsText)}}"#
    ),
    (
      .store(.key(named("a"), .update(KeyWrite(facts: facts, source: 1)))),
      #"{"action":"update","write":{"facts":\#(factsText),"source":1}}"#
    ),
    (
      .store(
        .key(
          named("a"), .store(KeyWrite(facts: facts, source: 1, isChecked: true, issued: .init(place: outside, id: "i")))
        )),
      #"{"action":"store","write":{"check":true,"facts":\#(factsText),"issued":{"id":"i","place":\#(outsideText)},"#
        + #""source":1}}"#
    ),
    (
      .store(.key(named("a"), .store(KeyWrite(facts, .firstSource(isChecked: true))))),
      #"{"action":"store","write":{"check":true,"deferred":true,"facts":\#(factsText)}}"#
    ),
    (
      .store(.key(named("a"), .replace(KeyWrite(facts, .minted(isChecked: false))))),
      #"{"action":"replace","write":{"facts":\#(factsText),"mint":true}}"#
    ),
    (.store(.activate(named("s"), named("a"), was: named("b"))), #"{"action":"activate","key":"a","was":"b"}"#),
    (.store(.activate(named("s"), named("a"), was: nil)), #"{"action":"activate","key":"a"}"#),
    (.store(.deactivate(named("s"), was: named("b"))), #"{"action":"deactivate","was":"b"}"#),
    (
      .outside(
        .sync(
          named("app"),
          TargetWrite(destination: outside, entries: [.init(name: "K", key: named("a"), reason: .new)], total: 2))),
      #"{"action":"sync","target":{"destination":\#(outsideText),"entries":"#
        + #"[{"key":"a","name":"K","reason":"new"}],"total":2}}"#
    ),
    (
      .outside(
        .withdraw(
          named("app"),
          TargetRemoval(
            destination: Destination(type: "dotenv", location: "b"), names: ["K"], released: ["L"], isMove: true))),
      #"{"action":"withdraw","removal":{"destination":{"location":"b","type":"dotenv"},"isMove":true,"#
        + #""names":["K"],"released":["L"]}}"#
    ),
    (.outside(.run(named("app"), TargetHook(reload("x")))), #"{"action":"run","hook":{"command":["reload","x"]}}"#),
    (.store(.settle(.key(named("a")))), #"{"action":"settle"}"#),
    (.store(.key(named("a"), .retire)), #"{"action":"retire"}"#),
    (.store(.key(named("a"), .forget)), #"{"action":"forget"}"#),
    (
      .store(.key(named("a"), .rollback(KeyRollback(to: 2, was: 3, rejected: Fingerprint(0..<16))))),
      #"{"action":"rollback","rollback":{"rejected":"000102030405060708090a0b0c0d0e0f","to":2,"was":3}}"#
    ),
    (
      .store(.key(named("a"), .restore(KeyRestoration(serial: 9, rejected: nil)))),
      #"{"action":"restore","restoration":{"serial":9}}"#
    ),
    (
      .store(
        .key(named("a"), .accept(KeyAcceptance(target: named("app"), destination: outside, name: "K", rejected: nil)))),
      #"{"acceptance":{"destination":\#(outsideText),"name":"K","target":"app"},"action":"accept"}"#
    ),
    (
      .person(.signIn(named("home"), AccountNeed(facts: account, reason: .scopesMissing, missing: ["x"]))),
      #"{"action":"authorize","need":{"facts":\#(accountText),"missing":["x"],"reason":"scopesMissing"}}"#
    ),
    (
      .store(.adoptToken(named("home"), from: "env://T", account)),
      #"{"account":\#(accountText),"action":"adoptToken","from":"env://T"}"#
    ),
    (
      .outside(.refresh(named("home"), AccountRefresh(facts: account, reason: .expired, epoch: 3))),
      #"{"action":"refresh","refresh":{"epoch":3,"facts":\#(accountText),"reason":"expired"}}"#
    ),
    (
      .outside(
        .select(
          named("home"),
          AccountSelection(
            facts: account, calendar: AccountCalendar(id: "i", name: "N", isPrimary: true), wanted: "N", was: nil))),
      #"{"action":"select","selection":{"calendar":{"id":"i","isPrimary":true,"name":"N"},"#
        + #""facts":\#(accountText),"wanted":"N"}}"#
    ),
    (
      .outside(.signOut(named("home"), AccountSignOut(facts: account, revokes: true))),
      #"{"action":"signOut","signOut":{"facts":\#(accountText),"revokes":true}}"#
    ),
    (.store(.forgetSlot(named("s"))), #"{"action":"forget"}"#),
    (.store(.forgetTarget(named("app"))), #"{"action":"forget"}"#),
    (.store(.forgetEntry(named("app"), name: "K")), #"{"action":"forget"}"#),
    (.store(.settle(.target(named("app")))), #"{"action":"settle"}"#),
  ]

  @Test("every effect has one text, and reads back from it", arguments: effects)
  func effect(effect: Effect, text: String) throws {
    let step = Step(effect, because: .manifest)
    let whole = #"{"address":"\#(effect.subject)","after":[],"cause":"manifest","effect":\#(text),"ground":{}}"#
    #expect(try Self.text(StepDocument(step)) == whole)
    #expect(try JSONDecoder().decode(StepDocument.self, from: Data(whole.utf8)).step == step)
  }

  @Test("a step has one text, and reads back from it")
  func step() throws {
    let step = Step(
      .store(.key(named("a"), .retire)), because: .expiry,
      on: Precondition(
        revision: 3, source: Fingerprint(0..<16), target: ["K": Fingerprint(16..<32)].compactMapValues(\.self)),
      after: [.slot(named("s")), .entry(named("app"), name: "K"), .recipients])
    let text =
      #"{"address":"key.a","after":["active.s","target.app.K","recipients"],"cause":"expiry","effect":{"action":"retire"},"#
      + #""ground":{"revision":3,"source":"000102030405060708090a0b0c0d0e0f","#
      + #""target":{"K":"101112131415161718191a1b1c1d1e1f"}}}"#
    #expect(try Self.text(StepDocument(step)) == text)
    #expect(try JSONDecoder().decode(StepDocument.self, from: Data(text.utf8)).step == step)
  }

  static let foreign: [(address: String, effect: String)] = [
    ("key.a", #"{"action":"delete"}"#), ("key.a", #"{"action":"store"}"#), ("key.a", "{}"),
    ("key.a", #"{"action":"activate","key":"a"}"#), ("recipients", #"{"action":"retire"}"#),
    ("target.app", #"{"action":"retire"}"#), ("active.s", #"{"action":"retire"}"#),
    ("target.app.K", #"{"action":"retire"}"#), ("migration.1", #"{"action":"forget"}"#),
    ("calendar.home", #"{"action":"forget"}"#), ("nowhere.a", #"{"action":"forget"}"#),
  ]

  @Test("an action that nobody writes at its address is not read", arguments: foreign)
  func refused(address: String, effect: String) {
    let text = #"{"address":"\#(address)","after":[],"cause":"manifest","effect":\#(effect),"ground":{}}"#
    #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(StepDocument.self, from: Data(text.utf8)) }
  }

  @Test(
    "a value that comes from two places, or is checked although keyplan generates it, is not read",
    arguments: [
      #""source":0,"deferred":true"#, #""source":0,"mint":true"#, #""deferred":true,"mint":true"#,
      #""source":0,"generate":{"format":"uuid"}"#, #""check":true,"generate":{"format":"uuid"}"#,
      #""mint":true,"issued":{"id":"i","place":\#(outsideText)}"#,
    ])
  func contradiction(fields: String) {
    let text = #"{"facts":\#(Self.factsText),\#(fields)}"#
    #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(KeyWrite.self, from: Data(text.utf8)) }
  }

  private static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}
