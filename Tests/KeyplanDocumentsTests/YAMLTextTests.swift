import KeyplanDocuments
import Testing

@Suite("Editing YAML that people wrote")
struct YAMLTextTests {
  @Test(
    "an entry comes at the end of its section, in the section's style",
    arguments: [
      (before: "", after: "keys:\n  m: { a: b }\n"),
      (before: "# only this", after: "# only this\nkeys:\n  m: { a: b }\n"),
      (before: "keys:\n  x: 1", after: "keys:\n  x: 1\n  m: { a: b }\n"),
      (before: "keys:\r\n    x: 1 #\tc\r\n", after: "keys:\r\n    x: 1 #\tc\r\n    m: { a: b }\r\n"),
      (
        before: "keys:\n  x:\n    y: 1\n    # of x\n  # of keys\n# of z\nz: 1\n",
        after: "keys:\n  x:\n    y: 1\n    # of x\n  # of keys\n  m: { a: b }\n# of z\nz: 1\n"
      ),
      (before: "keys:\n  x: 1\n\n  y: 1\n\nz: 1\n", after: "keys:\n  x: 1\n\n  y: 1\n\n  m: { a: b }\n\nz: 1\n"),
      (before: "keys: {} # c\nz: 1\n", after: "keys: # c\n  m: { a: b }\nz: 1\n"),
      (before: "keys:\nz:\n    y: 1\n", after: "keys:\n    m: { a: b }\nz:\n    y: 1\n"),
      (before: "keys: { x: 1 }\n", after: "keys: { x: 1, m: { a: b } }\n"),
      (before: "keys: {x: 1,y: 2}\n", after: "keys: {x: 1,y: 2,m: { a: b }}\n"),
      (before: "keys: { x: 1, }\n", after: "keys: { x: 1, m: { a: b }, }\n"),
      (
        before: "keys: {\n  x: 1,  # c, d\n  y: 2  # e\n}\n",
        after: "keys: {\n  x: 1,  # c, d\n  y: 2,  # e\n  m: { a: b }\n}\n"
      ),
      (before: "keys: {\n  x: 1,  # c\n}\n", after: "keys: {\n  x: 1,  # c\n  m: { a: b },\n}\n"),
      (before: "keys: {\n  x: 1 }\n", after: "keys: {\n  x: 1,\n  m: { a: b } }\n"),
      (before: "{ version: 1, keys: {} }\n", after: "{ version: 1, keys: { m: { a: b } } }\n"),
      (before: "{ version: 1 }", after: "{ version: 1, keys: { m: { a: b } } }"),
      (
        before: "version: 1\npolicies: { q: 1 }\n\nactive: x\n",
        after: "version: 1\npolicies: { q: 1 }\nkeys:\n  m: { a: b }\n\nactive: x\n"
      ),
      (
        before: "version: 1\n\npolicies: { q: 1 } # c\n\nactive: x\n",
        after: "version: 1\n\npolicies: { q: 1 } # c\n\nkeys:\n  m: { a: b }\n\nactive: x\n"
      ),
      (before: "version: 1\nactive: &a x\nz: *a", after: "version: 1\nkeys:\n  m: { a: b }\nactive: &a x\nz: *a"),
    ])
  func insert(before: String, after: String) throws {
    #expect(
      try edited(before) { try $0.insert("m: { a: b }", into: ["keys"], after: ["version", "policies"]) } == after)
  }

  @Test("an entry of many lines keeps them, and loses them within brackets") func insertBlock() throws {
    let entry = "m:\n  source:\n    - env://A,B\n    - 'x: y'\n  no: \"no\"\n  cache: {}\n  age: 90\n  none:"
    #expect(
      try edited("keys:\r\n    x: 1\r\n") { try $0.insert(entry, into: ["keys"]) }
        == "keys:\r\n    x: 1\r\n    m:\r\n      source:\r\n        - env://A,B\r\n        - 'x: y'\r\n      no: \"no\"\r\n      cache: {}\r\n      age: 90\r\n      none:\r\n"
    )
    #expect(
      try edited("keys: { x: 1 }") { try $0.insert(entry, into: ["keys"]) }
        == "keys: { x: 1, m: { source: [\"env://A,B\", \"x: y\"], \"no\": \"no\", cache: {}, age: 90, none: null } }")
    #expect(
      try edited("a: 1\n") { try $0.insert("weather: w", into: ["active"]) } == "a: 1\nactive:\n  weather: w\n")
  }

  @Test(
    "an entry goes with the comments that are its own",
    arguments: [
      (
        before: "keys:\n  # of x\n  x: 1\n  # of a\n  # more\n  a: 2 # c\n    # below a\n  # of y\n  y: 3\n",
        after: "keys:\n  # of x\n  x: 1\n  # of y\n  y: 3\n"
      ),
      (before: "keys:\n  x: 1\n\n  a:\n    b: c\n\n  y: 3\n", after: "keys:\n  x: 1\n\n  y: 3\n"),
      (before: "keys:\r\n  x: 1\r\n\r\n  a: |\r\n    b", after: "keys:\r\n  x: 1\r\n"),
      (before: "keys: # c\n  a: 1\nz: 1\n", after: "keys: {} # c\nz: 1\n"),
      (before: "keys: { a: 1 }\n", after: "keys: {}\n"),
      (before: "keys: { a: 1, x: 2 }\n", after: "keys: { x: 2 }\n"),
      (before: "keys: { x: 2, a: 1 }\n", after: "keys: { x: 2 }\n"),
      (before: "keys: { x: 2, a: 1, }\n", after: "keys: { x: 2, }\n"),
      (before: "keys: {\n  x: 2, # c\n  # of a\n  a: 1 # d\n}\n", after: "keys: {\n  x: 2 # c\n}\n"),
      (before: "keys: {\n  a: 1, # c\n  x: 2, # d\n}\n", after: "keys: {\n  x: 2, # d\n}\n"),
    ])
  func remove(before: String, after: String) throws {
    #expect(try edited(before) { try $0.remove(["keys", "a"]) } == after)
  }

  @Test("comments that open the file stay when the first entry goes") func fileComments() throws {
    #expect(try edited("# schema\na: 1\nb: 2\n") { try $0.remove(["a"]) } == "# schema\nb: 2\n")
    #expect(try edited("a: 1\n") { try $0.remove(["a"]) } == "")
  }

  @Test("a name changes with what refers to it, each in its own quotes") func rename() throws {
    let before =
      "keys:\n  'a': {} # a\n  b: 1\nactive: { x: [b, \"a\"], y: a }\ntargets:\n  - a # a\n  - b\nother: a\n"
    let references = [["active", "x", "1"], ["active", "y"], ["targets", "0"]]
    #expect(
      try edited(before) { try $0.rename(["keys", "a"], to: "new", references: references) }
        == "keys:\n  'new': {} # a\n  b: 1\nactive: { x: [b, \"new\"], y: new }\ntargets:\n  - new # a\n  - b\nother: a\n"
    )
    #expect(try edited("keys: {a: 1}") { try $0.rename(["keys", "a"], to: "no") } == "keys: {\"no\": 1}")
  }

  @Test(
    "a scalar or a list is replaced in its style",
    arguments: [
      (before: "a # c", value: .scalar("b"), after: "b # c"),
      (before: "'a' # c", value: .scalar("b"), after: "'b' # c"),
      (before: "'a' # c", value: .list(["b", "a"]), after: "[b, 'a'] # c"),
      (before: "[a, \"b\" ] # c", value: .list(["b", "a"]), after: "[\"b\", a ] # c"),
      (before: "[a,b]", value: .list(["m", "a", "b"]), after: "[m,a,b]"),
      (before: "[a]", value: .list(["m", "a"]), after: "[m, a]"),
      (before: "[]", value: .list(["m"]), after: "[m]"),
      (before: "[a, b]", value: .list([]), after: "[]"),
      (before: "[a, b]", value: .scalar("b"), after: "b"),
      (before: "[\n    a,\n    b,\n  ]", value: .list(["m", "b", "a"]), after: "[\n    m,\n    b,\n    a,\n  ]"),
      (before: "{ x: [a] }", value: .list(["a"]), after: "{ x: [a] }"),
      (
        before: "\n  # of a\n  - a # c\n\n  - 'b' # d\n", value: .list(["b", "m", "a"]),
        after: "\n  - 'b' # d\n\n  - m\n  # of a\n  - a # c\n"
      ),
      (before: "\n- a\n- b", value: .list(["b"]), after: "\n- b"),
      (before: " # c\n  - a\n  - b\n", value: .scalar("b"), after: " b # c\n"),
      (before: " # c", value: .list(["b"]), after: " [b] # c"),
    ] as [(before: String, value: YAMLText.Value, after: String)])
  func replace(before: String, value: YAMLText.Value, after: String) throws {
    let isInside = before.hasPrefix("{")
    let space = before.first == " " || before.first == "\n" ? "" : " "
    for newline in ["\n", "\r\n"] {
      func text(_ value: String) -> String {
        "# top\nactive:\n  s:\(space)\(value.replacing("\n", with: "\n  "))\n".replacing("\n", with: newline)
      }
      let expected = after.first == " " || after.first == "\n" ? after : " " + after
      #expect(
        try edited(text(before)) { try $0.replace(["active", "s"] + (isInside ? ["x"] : []), with: value) }
          == "# top\nactive:\n  s:\(expected.replacing("\n", with: "\n  "))\n".replacing("\n", with: newline))
    }
  }

  @Test("what an edit cannot do alone is refused with its place and changes nothing") func refused() throws {
    let text =
      "base: &b\n  x: 1\nkeys: *b\nother:\n  <<: *b\n  k: &k v\nuse: *k\nlist:\n  - {a: 1}\n  - - x\nb: |\n  t\nf: [a, # c\n  b]\ns: t\n"
    let edits: [(place: String, edit: (inout YAMLText) throws -> Void)] = [
      ("3:7", { try $0.insert("n: 1", into: ["keys"]) }), ("2:3", { try $0.insert("n: 1", into: ["base"]) }),
      ("1:7", { try $0.insert("n: 1", into: ["base"]) }), ("3:7", { try $0.remove(["keys", "x"]) }),
      ("6:3", { try $0.remove(["other", "k"]) }), ("15:4", { try $0.insert("n: 1", into: ["s"]) }),
      ("5:3", { try $0.insert("k: 1", into: ["other"]) }),
      ("6:6", { try $0.replace(["other", "k"], with: .scalar("w")) }),
      ("7:6", { try $0.rename(["other", "k"], to: "l", references: [["use"]]) }),
      ("9:5", { try $0.replace(["list"], with: .list(["x"])) }),
      ("11:4", { try $0.replace(["b"], with: .scalar("x")) }),
      ("13:4", { try $0.replace(["f"], with: .list(["b"])) }), ("1:1", { try $0.remove(["gone"]) }),
      ("15:1", { try $0.rename(["s"], to: "use") }), ("9:5", { try $0.remove(["list", "0"]) }),
    ]
    for (index, edit) in edits.enumerated() where index != 1 {
      var yaml = try YAMLText(Array(text.utf8))
      let fault = fault { try edit.edit(&yaml) }
      #expect(
        fault?.place.map { "\($0.line):\($0.column)" } == edit.place, "edit \(index): \(String(describing: fault))")
      #expect(yaml.bytes == Array(text.utf8))
    }
    var yaml = try YAMLText([])
    for entry in ["", "a", "- a", "a: 1\nb: 2", "{a: 1}", "a: [", "a: 1\n---\nb: 1"] {
      #expect(fault { try yaml.insert(entry, into: ["keys"]) }?.code == .invalidValue)
    }
    #expect(fault { _ = try YAMLText(Array("a: [".utf8)) }?.code == .malformed)
    #expect("\(try YAMLText(Array("a: canary".utf8)))" == "YAMLText")
  }
}
