import KeyplanModel
import KeyplanPlanning
import ReportSamples
import TestTools
import Testing

@testable import KeyplanReporting

/// All listings of keys show the same standings.
@Suite("The standings of keys")
struct KeyStandingTests {
  private func listing(_ change: (inout KeyRecord) -> Void) -> KeyListing {
    var recorded = Recorded()
    var record = KeyRecord(
      revision: 1, facts: KeyFacts(provider: "generic"),
      version: KeyVersion(number: 1, fingerprint: Sample.fingerprint(1), storedAt: Sample.now - .days(3), origin: nil))
    change(&record)
    recorded.keys[Sample.key("one")] = record
    return KeyListing(nil, recorded, at: Sample.now)
  }

  private func check(_ outcome: CheckOutcome) -> KeyCheck { KeyCheck(outcome, at: Sample.now - .days(1)) }

  private func exposed(_ record: inout KeyRecord) {
    record.version.exposures = [Exposure(recipient: Sample.recipient("bob"), since: Sample.now - .days(1))]
  }

  @Test("text and JSON name what is exposed, without credit or rejected")
  func listed() throws {
    let cases: [(listing: KeyListing, words: String, standings: [KeyStanding])] = [
      (listing { exposed(&$0) }, "exposed", [.exposed]),
      (listing { $0.version.check = check(.noCredit) }, "no credit", [.noCredit]),
      (
        listing {
          $0.version.check = check(.invalid)
          exposed(&$0)
        }, "exposed", [.rejected, .exposed]
      ),
      (
        listing {
          $0.version.check = check(.invalid)
          $0.retiredAt = Sample.now
        }, "rejected", [.retired, .rejected]
      ),
    ]
    for (listing, words, standings) in cases {
      #expect(listing.rows.first?.standings == standings)
      let text = KeysText.render(listing, style: Style(width: 200), at: Sample.now)
      #expect(text.contains("NOTES") && text.contains(words), "\(text)")
      let json = try Document.keys(listing, environment: nil, store: nil)
      let list = standings.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
      #expect(json.contains("\"standings\":[\(list)]"), "\(json)")
    }
    let usual = listing { _ in }
    #expect(usual.rows.first?.standings == [])
    #expect(!KeysText.render(usual, style: Style(width: 200), at: Sample.now).contains("NOTES"))
  }

  @Test("the end that a provider named is in every listing, unless the policy has an earlier one")
  func told() throws {
    let end = Sample.now + .days(4)
    for policy in [nil, Expiry(.on(Sample.now + .days(9)), warn: .days(2), then: .warn)] {
      let listing = listing {
        $0.facts = KeyFacts(provider: "generic", expiry: policy)
        $0.version.check = KeyCheck(.valid, at: Sample.now - .days(1), expires: end)
      }
      #expect(KeysText.render(listing, style: Style(width: 200), at: Sample.now).contains(end.date))
      #expect(try Document.keys(listing, environment: nil, store: nil).contains("\"endsAt\":\"\(end)\""))
      var recorded = Recorded()
      recorded.keys[Sample.key("one")] = listing.rows.first.flatMap { row in
        row.version.map { KeyRecord(revision: 1, facts: row.facts, version: $0) }
      }
      let shown = ShowText.record(.key(Sample.key("one")), in: recorded, style: Style(width: 200), at: Sample.now)
      #expect(try #require(shown).contains(end.date), "\(shown ?? "")")
    }
    let own = Sample.now + .days(2)
    let earlier = listing {
      $0.facts = KeyFacts(provider: "generic", expiry: Expiry(.on(own), warn: .days(1), then: .warn))
      $0.version.check = KeyCheck(.valid, at: Sample.now - .days(1), expires: end)
    }
    #expect(KeysText.render(earlier, style: Style(width: 200), at: Sample.now).contains(own.date))
    // A value that the provider refuses has no end that matters.
    let refused = listing { $0.version.check = KeyCheck(.invalid, at: Sample.now - .days(1), expires: end) }
    #expect(!KeysText.render(refused, style: Style(width: 200), at: Sample.now).contains(end.date))
  }

  @Test("a key's record shows its earlier versions in the order of the history, with what is wrong with them")
  func versions() throws {
    var recorded = Recorded()
    func version(_ number: Int64) -> KeyVersion {
      KeyVersion(number: number, fingerprint: Sample.fingerprint(UInt8(number)), storedAt: Sample.now, origin: nil)
    }
    recorded.keys[Sample.key("one")] = KeyRecord(
      revision: 1, facts: KeyFacts(provider: "generic"), version: version(3), history: [version(1), version(2)],
      rejected: Sample.fingerprint(2),
      revoked: [Revocation(fingerprint: Sample.fingerprint(1), version: 1, at: Sample.now)])
    let text = try #require(
      ShowText.record(.key(Sample.key("one")), in: recorded, style: Style(width: 200), at: Sample.now))
    let lines = text.split(separator: "\n").suffix(2).map(String.init)
    #expect(lines[0].contains("history") && lines[0].contains("2, stored") && lines[0].hasSuffix("rejected"), "\(text)")
    #expect(lines[1].contains("1, stored") && lines[1].contains("revoked on "), "\(text)")
  }

  @Test("a slot whose key is not served shows that beside it")
  func slot() throws {
    var recorded = Recorded()
    recorded.keys[Sample.key("one")] = KeyRecord(
      revision: 1, facts: KeyFacts(provider: "generic"),
      version: KeyVersion(number: 1, fingerprint: Sample.fingerprint(1), storedAt: Sample.now, origin: nil),
      revoked: [Revocation(fingerprint: Sample.fingerprint(1), version: 1, at: Sample.now)])
    recorded.slots[Sample.slot("main")] = SlotRecord(revision: 1, key: Sample.key("one"), since: Sample.now)
    let show = try #require(
      ShowText.record(.slot(Sample.slot("main")), in: recorded, style: Style(), at: Sample.now))
    #expect(show.contains("one   (revoked on ") || show.contains("one (revoked on "), "\(show)")
    #expect(RecordsText.render(recorded, style: Style(), at: Sample.now).contains("revoked on "))
  }
}
