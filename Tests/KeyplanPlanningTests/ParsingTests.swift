import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

@Suite struct ParsingTests {
  static let names: [(text: String, isName: Bool)] = [
    ("a", true), ("0", true), ("openai-main", true), ("a_b-9", true), (String(repeating: "a", count: 63), true),
    ("", false), ("-a", false), ("_a", false), ("A", false), ("a.", false), ("a.9", false), (".b", false),
    ("a.b.c", false), ("a.b-c", false), ("a b", false), ("ä", false),
    ("a\n", false),
    (String(repeating: "a", count: 64), false),
  ]

  @Test("names have one shape", arguments: names)
  func name(text: String, isName: Bool) { #expect((Identifier<Key>(text) != nil) == isName) }

  @Test("only a key's name can have a part, and none that is declared as a whole")
  func part() {
    #expect(Identifier<Key>("aws-ci.accessKeyId")?.name == "aws-ci.accessKeyId")
    #expect(Identifier<Key>(whole: "aws-ci.accessKeyId") == nil)
    #expect(Identifier<Slot>("aws-ci.accessKeyId") == nil && Identifier<Target>("a.b") == nil)
    #expect(Identifier<Key>("a.b").flatMap { Identifier<Key>(part: "c", of: $0) } == nil)
    #expect(Address("key.aws-ci.accessKeyId")?.description == "key.aws-ci.accessKeyId")
  }

  static let addresses = [
    "key.openai-main", "active.assistant", "target.app", "target.app.WEATHER_KEY", "target.app.a.b c/ü",
    "calendar.home", "recipients", "surface.command op read x", "surface.host a:443", "surface.path /a b",
    "migration.2",
  ]

  @Test("an address reads back what it writes", arguments: addresses)
  func address(text: String) throws { #expect(try #require(Address(text)).description == text) }

  static let others = [
    "", "key", "key.", "key.A", "keys.a", "active.", "target.", "target.app.", "target..x", "calendar.a.b",
    "recipients.a",
    "surface.a b", "surface.command", "migration.0", "migration.-1", "migration.+1", "migration.01", "migration.a",
    "Key.a",
  ]

  @Test("anything else is no address", arguments: others)
  func noAddress(text: String) { #expect(Address(text) == nil) }

  static let moments: [(text: String, seconds: Int64?)] = [
    ("1970-01-01", 0), ("2026-11-21", 1_795_219_200), ("2026-11-21T09:12:00Z", 1_795_252_320),
    ("2026-11-21T09:12:00+01:00", 1_795_248_720), ("2026-11-21T09:12:00-00:30", 1_795_254_120),
    ("2000-02-29", 951_782_400), ("2028-02-29", 1_835_395_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ("2026-02-29", nil), ("2100-02-29", nil), ("2026-13-01", nil), ("2026-00-10", nil), ("2026-01-00", nil),
    ("2026-01-32", nil), ("1969-12-31", nil), ("2026-1-1", nil), ("26-01-01", nil), ("2026-11-21T", nil),
    ("2026-11-21T09:12Z", nil), ("2026-11-21T24:00:00Z", nil), ("2026-11-21T09:60:00Z", nil),
    ("2026-11-21T09:12:60Z", nil), ("2026-11-21T09:12:00", nil), ("2026-11-21 09:12:00Z", nil),
    ("2026-11-21T09:12:00+24:00", nil), ("2026-11-21T09:12:00+0100", nil), ("2026-11-21T09:12:00.5Z", nil), ("", nil),
    ("２０２６-11-21", nil), ("+026-11-21", nil),
  ]

  @Test("moments are ISO 8601, and days that do not exist are none", arguments: moments)
  func moment(text: String, seconds: Int64?) { #expect(Moment(text)?.seconds == seconds) }

  @Test("every moment reads back what it writes")
  func momentsBack() {
    for day in stride(from: 0 as Int64, to: 2_932_896, by: 97) {
      let moment = Moment(seconds: day * 86400 + day % 86400)
      #expect(Moment(moment.description) == moment)
    }
    #expect(Moment(seconds: -1).description == "1969-12-31T23:59:59Z")
    #expect(now.dateAndMinute == "2027-01-15 08:00")
  }

  static let intervals: [(text: String, seconds: Int64?)] = [
    ("45s", 45), ("30m", 1800), ("12h", 43200), ("90d", 7_776_000), ("6w", 3_628_800), ("0d", nil), ("-5d", nil),
    ("+5d", nil), ("5", nil), ("d", nil), ("", nil), ("5 d", nil), ("5D", nil), ("5y", nil), ("1.5h", nil),
    ("٣d", nil), ("99999999999w", nil), ("9223372036854775807s", nil),
  ]

  @Test("lengths are a whole number and a unit", arguments: intervals)
  func interval(text: String, seconds: Int64?) throws {
    #expect(Interval(text)?.seconds == seconds)
    if let seconds { #expect(Interval(Interval(seconds: seconds).description)?.seconds == seconds) }
  }

  static let lengths: [(seconds: Int64, text: String)] = [
    (1, "1 second"), (119, "119 seconds"), (120, "2 minutes"), (7199, "119 minutes"), (7200, "2 hours"),
    (86400, "24 hours"), (172_800, "2 days"), (7_776_000, "90 days"), (-172_800, "2 days"),
  ]

  @Test("lengths are spoken in the largest unit of which there are two", arguments: lengths)
  func spoken(seconds: Int64, text: String) { #expect(Interval(seconds: seconds).spoken == text) }

  static let slips: [(name: String, candidates: [String], nearest: String?)] = [
    ("opnai", ["openai", "anthropic"], "openai"), ("oepnai", ["openai"], "openai"), ("openai", ["openai"], nil),
    ("x", ["y"], "y"), ("abc", ["xyz"], nil), ("keys", ["kes", "key"], "kes"), ("keys", ["key", "kes"], "kes"),
    ("", ["a"], nil), (String(repeating: "a", count: 65), [String(repeating: "a", count: 64)], nil),
    ("weather", [], nil), ("wea", ["sun", "weather"], "weather"), ("wea", ["weather", "weasel"], nil),
    ("we", ["weather"], nil),
  ]

  @Test("a slip of the fingers finds the name that was meant", arguments: slips)
  func slip(name: String, candidates: [String], nearest: String?) {
    #expect(Suggestion.nearest(to: name, among: candidates) == nearest)
  }

  @Test("the nearest name is the one that the whole table of distances finds")
  func nearest() {
    var dice = Seeded(seed: 11)
    let letters = Array("abc-")
    for _ in 0..<3000 {
      let words = (0..<6).map { _ in String((0..<1 + dice.below(9)).map { _ in dice.pick(letters) }) }
      let limit = max(1, words[0].utf8.count / 3)
      let near = words.dropFirst().map { (Self.distance(Array(words[0].utf8), Array($0.utf8)), $0) }
        .filter { $0.0 > 0 && $0.0 <= limit }.min { $0 < $1 }
      // Where none is near, one that only begins like it may be named.
      if let near { #expect(Suggestion.nearest(to: words[0], among: words.dropFirst()) == near.1, "\(words)") }
    }
  }

  /// Levenshtein with swapped neighbours counted once, as in the textbook.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var table = (0...left.count).map { row in (0...right.count).map { row == 0 ? $0 : row } }
    for row in left.indices {
      for column in right.indices {
        var cost = min(
          table[row][column + 1] + 1, table[row + 1][column] + 1,
          table[row][column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, table[row - 1][column - 1] + 1)
        }
        table[row + 1][column + 1] = cost
      }
    }
    return table[left.count][right.count]
  }

  @Test("a search stays within the work it is given, however many names there are")
  func bounded() {
    let names = (0..<10_000).map { "name-\($0)" }
    var work = 5000
    #expect(Suggestion.nearest(to: "nmae-77", among: names, within: &work) == nil)
    #expect(work <= 0 && work > -200)
  }
}
