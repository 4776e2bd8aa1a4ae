import KeyplanYAML
import Testing

@Suite struct CoreSchemaTests {
  @Test(
    "a plain scalar means what the core schema of YAML 1.2 says",
    arguments: [
      ("~", .null), ("null", .null), ("Null", .null), ("NULL", .null), ("nULL", .string("nULL")),
      ("true", .bool(true)), ("True", .bool(true)), ("FALSE", .bool(false)), ("tRUE", .string("tRUE")),
      ("yes", .string("yes")), ("no", .string("no")), ("on", .string("on")), ("off", .string("off")),
      ("n", .string("n")), ("y", .string("y")), ("0", .int(0)), ("-0", .int(0)), ("+12", .int(12)), ("-19", .int(-19)),
      ("0777", .int(777)), ("0o777", .int(511)), ("0o8", .string("0o8")), ("0o", .string("0o")), ("0xfF", .int(255)),
      ("0x", .string("0x")), ("0x+1", .string("0x+1")), ("-0x1", .string("-0x1")), ("0b1", .string("0b1")),
      ("1_000", .string("1_000")), ("9223372036854775807", .int(.max)),
      ("9223372036854775808", .float(9_223_372_036_854_775_808)),
      ("0x8000000000000000", .float(9_223_372_036_854_775_808)), ("1.", .float(1)), (".5", .float(0.5)),
      ("-1.5e3", .float(-1500)), ("1e3", .float(1000)), ("1E-2", .float(0.01)), (".", .string(".")),
      ("+", .string("+")),
      ("e3", .string("e3")), (".e3", .string(".e3")), ("1e", .string("1e")), ("1e+", .string("1e+")),
      ("1.2.3", .string("1.2.3")), ("12:30", .string("12:30")), ("2026-10-01", .string("2026-10-01")),
      (".inf", .float(.infinity)), ("-.INF", .float(-.infinity)), ("inf", .string("inf")), ("nan", .string("nan")),
      (".nAn", .string(".nAn")), ("90d", .string("90d")), ("<<", .string("<<")),
    ] as [(String, Scalar.Resolved)])
  func plain(_ text: String, _ meaning: Scalar.Resolved) throws {
    #expect(try parse(text)?.scalar?.resolved == meaning)
    #expect(try parse("key: \(text)")?["key"]?.scalar?.resolved == meaning)
  }

  @Test("what is not a number is not equal to itself")
  func nan() throws {
    for text in [".nan", ".NaN", ".NAN"] {
      guard case .float(let value) = try parse(text)?.scalar?.resolved else {
        Issue.record("\(text) is no float")
        continue
      }
      #expect(value.isNaN)
    }
  }

  @Test(
    "a scalar that is quoted or a block is a string whatever it says",
    arguments: [
      ("'1'", "1", .singleQuoted), ("\"true\"", "true", .doubleQuoted), ("''", "", .singleQuoted),
      ("|\n  1", "1", .literal), (">-\n  null", "null", .folded), ("\"a\\u0000\\u00e9\"", "a\0é", .doubleQuoted),
    ] as [(String, String, Scalar.Style)])
  func quoted(_ yaml: String, _ text: String, _ style: Scalar.Style) throws {
    let scalar = try #require(try parse("key: \(yaml)")?["key"]?.scalar)
    #expect(scalar.resolved == .string(text))
    #expect(scalar.style == style)
  }

  @Test("an absent value is null")
  func absent() throws {
    #expect(try parse("key:")?["key"]?.scalar?.resolved == .null)
    #expect(try parse("- ")?.items?.first?.scalar?.resolved == .null)
  }

  @Test(
    "a tag of the core schema decides the meaning",
    arguments: [
      ("!!str 1", .string("1")), ("!!str", .string("")), ("! 1", .string("1")), ("!!int '1'", .int(1)),
      ("!!float 1", .float(1)), ("!!bool \"true\"", .bool(true)), ("!!null ''", .null),
      ("!<tag:yaml.org,2002:str> true", .string("true")), ("!!str &a 1", .string("1")), ("&a !!str 1", .string("1")),
    ] as [(String, Scalar.Resolved)])
  func tagged(_ yaml: String, _ meaning: Scalar.Resolved) throws {
    #expect(try parse("key: \(yaml)")?["key"]?.scalar?.resolved == meaning)
  }

  @Test(
    "any other tag, or one that its value does not fit, is refused",
    arguments: [
      "!!int x", "!!int 1.5", "!!int 9223372036854775808", "!!bool yes", "!!null 0", "!!float x", "!!map x", "!!seq {}",
      "!!str []",
      "!!binary eA==", "!!timestamp 2026-10-01", "!!set {a}", "!mine x", "!<tag:example.com,2026:x> {}",
    ])
  func otherTags(_ yaml: String) {
    expectFault([UInt8]("é:\n  \(yaml)".utf8), .tag, line: 2, column: 3, offset: 6)
  }

  @Test("the tags of collections are understood")
  func collections() throws {
    #expect(try parse("!!seq [a]")?.items?.count == 1)
    #expect(try parse("!!map {a: b}")?.entries?.count == 1)
    #expect(try parse("! [a]")?.items?.count == 1)
  }
}
