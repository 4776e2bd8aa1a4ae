import KeyplanDocuments
import Testing

@Suite("Lists in YAML that people wrote")
struct YAMLTextItemTests {
  @Test(
    "an item comes at the end of its list, in the list's style",
    arguments: [
      (before: "", after: "m:\n  - { a: b }\n"),
      (before: "k: 1\n\nz: 1\n", after: "k: 1\n\nz: 1\n\nm:\n  - { a: b }\n"),
      (before: "v: 1\n\nz: 1\n", after: "v: 1\n\nm:\n  - { a: b }\n\nz: 1\n"),
      (before: "m: # c\nz: 1\n", after: "m: # c\n  - { a: b }\nz: 1\n"),
      (before: "m: [] # c\nz:\n    y: 1", after: "m: # c\n    - { a: b }\nz:\n    y: 1"),
      (before: "m: []", after: "m:\n  - { a: b }\n"),
      (before: "m: [x]\n", after: "m: [x, { a: b }]\n"),
      (before: "m: [x,]\n", after: "m: [x, { a: b },]\n"),
      (before: "m: [\n  x, # c\n  y # d\n]\n", after: "m: [\n  x, # c\n  y, # d\n  { a: b }\n]\n"),
      (before: "{ v: 1 }\n", after: "{ v: 1, m: [{ a: b }] }\n"),
      (before: "{ m: [], v: 1 }\n", after: "{ m: [{ a: b }], v: 1 }\n"),
      (before: "{ m: , v: 1 }\n", after: "{ m: [{ a: b }], v: 1 }\n"),
      (
        before: "m:\r\n  - x #\tc\r\n  # of m\r\n# of z\r\nz: 1",
        after: "m:\r\n  - x #\tc\r\n  # of m\r\n  - { a: b }\r\n# of z\r\nz: 1"
      ),
      (before: "m:\n- x\n# of z\nz: 1\n", after: "m:\n- x\n- { a: b }\n# of z\nz: 1\n"),
      (before: "m:\n  - x:\n      y: 1\n    z: 2", after: "m:\n  - x:\n      y: 1\n    z: 2\n  - { a: b }\n"),
    ])
  func append(before: String, after: String) throws {
    #expect(try edited(before) { try $0.append("{ a: b }", to: ["m"], after: ["v"]) } == after)
  }

  @Test(
    "an item goes with the comments that are its own",
    arguments: [
      (before: "m:\n  # of a\n  - a # c\n    # below\n  # of b\n  - b\n", after: "m:\n  # of b\n  - b\n"),
      (before: "m:\n  - a: 1\n    c: 2\n  - b\n", after: "m:\n  - b\n"),
      (before: "m: # c\r\n  - a # of a\r\nz: 1\r\n", after: "m: [] # c\r\nz: 1\r\n"),
      (before: "m: [a, b] # c", after: "m: [b] # c"),
      (before: "m: [ a ]", after: "m: []"),
      (before: "m: [\n  a, # c\n  b # d\n]\n", after: "m: [\n  b # d\n]\n"),
      (before: "m:\n- a\n- b", after: "m:\n- b"),
    ])
  func remove(before: String, after: String) throws {
    #expect(try edited(before) { try $0.removeItem(["m", "0"]) } == after)
  }

  @Test("a short form becomes a mapping where it stands") func nest() throws {
    func nested(_ text: String) throws -> String { try edited(text) { try $0.nest(["a"], under: "x") } }
    #expect(try nested("a: b # c\r\nz: 1") == "a:\r\n  x: b # c\r\nz: 1")
    #expect(try nested("k:\n    y: 1\na:   ['b', c]\n") == "k:\n    y: 1\na:\n    x: ['b', c]\n")
    #expect(try nested("{ a: b, z: 1 }") == "{ a: { x: b }, z: 1 }")
  }

  @Test("what cannot be done alone is refused with its place and changes nothing") func refused() throws {
    let text = "base: &b\n  - x\nm: *b\nn:\n  - - x\n  -\n    a: 1\nf: [a, # c\n  b]\ns: t\ng: { a: 1 }\n"
    let edits: [(place: String, edit: (inout YAMLText) throws -> Void)] = [
      ("3:4", { try $0.append("y", to: ["m"]) }), ("1:7", { try $0.append("y", to: ["base"]) }),
      ("5:7", { try $0.removeItem(["n", "0", "0"]) }), ("7:5", { try $0.removeItem(["n", "1"]) }),
      ("8:5", { try $0.removeItem(["f", "0"]) }), ("10:4", { try $0.append("y", to: ["s"]) }),
      ("11:4", { try $0.nest(["g"], under: "x") }), ("5:3", { try $0.nest(["n"], under: "x") }),
      ("3:4", { try $0.nest(["m"], under: "x") }),
    ]
    for (index, edit) in edits.enumerated() {
      var yaml = try YAMLText(Array(text.utf8))
      let fault = fault { try edit.edit(&yaml) }
      #expect(
        fault?.place.map { "\($0.line):\($0.column)" } == edit.place, "edit \(index): \(String(describing: fault))")
      #expect(yaml.bytes == Array(text.utf8))
    }
    var yaml = try YAMLText([])
    for item in ["", "a\nb", "["] {
      #expect(fault { try yaml.append(item, to: ["m"]) }?.code == .invalidValue, "\(item)")
    }
  }

  @Test("a text tells what it says, and where") func reading() throws {
    let yaml = try YAMLText(Array("a: { b: [c, 1, [d]], e: ~ }\n'f': &x \"g\"\nh: *x\ni:\n  j:\n".utf8))
    #expect(yaml.leaves().map(\.path) == [["a", "b", "0"], ["a", "b", "1"], ["a", "b", "2", "0"], ["f"], ["h"]])
    #expect(yaml.leaves(below: ["a", "b"]).map(\.text) == ["c", "1", "d"])
    #expect(yaml.leaves(below: ["z"]).isEmpty)
    #expect(yaml.form(of: ["a"]) == .mapping(["b", "e"], inBrackets: true))
    #expect(yaml.form(of: ["i"]) == .mapping(["j"], inBrackets: false))
    #expect(yaml.form(of: ["a", "b"]) == .list(["c", "1", nil]))
    #expect(yaml.form(of: ["a", "e"]) == .nothing && yaml.form(of: ["z"]) == nil)
    #expect(yaml.form(of: ["h"]) == .text("g"))
    #expect(yaml.place(of: ["a", "b", "1"]).map { "\($0.line):\($0.column)" } == "1:13")
    #expect(yaml.place(of: ["i", "j"]).map { "\($0.line):\($0.column)" } == "5:3")
    #expect("\(yaml.leaves()[0])" == "Leaf")
    #expect(YAMLText.quoted("a, b") == "a, b" && YAMLText.quoted("a, b", inBrackets: true) == "\"a, b\"")
  }
}
