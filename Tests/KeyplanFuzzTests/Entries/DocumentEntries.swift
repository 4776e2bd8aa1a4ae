import KeyplanDocuments

extension FuzzEntry {
  static let documents = [
    FuzzEntry(name: "dotenv") { input throws(Violation) in try edit(DotenvDocument.self, input) { $0 } },
    FuzzEntry(name: "json") { input throws(Violation) in
      try edit(JSONDocument.self, input) { JSONDocument.pointer(to: [$0]) }
    },
    FuzzEntry(name: "plist") { input throws(Violation) in
      try edit(PlistDocument.self, input) { JSONDocument.pointer(to: [$0]) }
      _ = try? PlistNames.texts(in: input)
    },
    FuzzEntry(name: "yaml", longest: 2048) { input throws(Violation) in
      try edit(YAMLDocument.self, input) { JSONDocument.pointer(to: [$0]) }
    },
    FuzzEntry(name: "yaml-edit", longest: 1024, check: editText),
  ]

  private static let values = ["", "plain", "it's \"q\" # $x `y` \\", "two\nlines", ": - é\t🔑", "true", " ~ "].map {
    Array($0.utf8)
  }

  /// Reads every name, then replaces, adds and removes: each edit is refused, or the result reads as meant and all else is as it was.
  private static func edit<Kind: EditableDocument>(
    _ kind: Kind.Type, _ input: [UInt8], address: (String) -> String
  ) throws(Violation) {
    let document: Kind
    do throws(DocumentError) {
      document = try Kind(input)
    } catch {
      guard let place = error.place else { throw Violation("no place: \(error.detail)") }
      return try require(line: place.line, column: place.column, inside: input)
    }
    try require(document.bytes == input, "unedited, the bytes differ")
    let names = Array(document.names.prefix(12))
    func values(_ document: Kind) throws(Violation) -> [DocumentValue?] {
      var found: [DocumentValue?] = []
      for name in names {
        do throws(DocumentError) { found.append(try document.value(at: address(name))) } catch {
          throw Violation("a name that is listed cannot be read: \(error.detail)")
        }
      }
      return found
    }
    let before = try values(document)
    try require(!before.contains(nil), "a name that is listed is missing")
    func attempt(_ name: String, _ edit: (inout Kind) throws(DocumentError) -> Void, to value: DocumentValue?)
      throws(Violation)
    {
      var edited = document
      let bytes: [UInt8]
      do throws(DocumentError) {
        try edit(&edited)
        bytes = try edited.finished()
      } catch { return }
      let again: Kind
      do throws(DocumentError) { again = try Kind(bytes) } catch {
        throw Violation(
          "an edit of \(name.debugDescription) cannot be read: \(error.detail)\n\(String(decoding: bytes, as: UTF8.self).debugDescription)"
        )
      }
      let here = (try? again.value(at: address(name))) ?? nil
      try require(
        here == value,
        "\(name.debugDescription) reads otherwise than written in\n\(String(decoding: bytes, as: UTF8.self).debugDescription)"
      )
      let after = read(again, names.filter { !isSame($0, name) }, address)
      let expected = zip(names, before).filter { !isSame($0.0, name) }.map(\.1)
      try require(after == expected, "an edit of \(name.debugDescription) changed another name")
    }
    for (index, name) in names.prefix(3).enumerated() {
      let value = Self.values[(input.count + index) % Self.values.count]
      try attempt(name, { edited throws(DocumentError) in try edited.set(address(name), to: value) }, to: .text(value))
      try attempt(name, { edited throws(DocumentError) in try edited.remove(address(name)) }, to: nil)
      if case .text(let same)? = before[index] {
        var edited = document
        if (try? edited.set(address(name), to: same)) != nil {
          try require(edited.bytes == input, "the same value changed the file")
        }
      }
    }
    let new = "FUZZ_NEW"
    guard !names.contains(new), ((try? document.value(at: address(new))) ?? nil) == nil else { return }
    let value = Self.values[input.count % Self.values.count]
    try attempt(new, { edited throws(DocumentError) in try edited.set(address(new), to: value) }, to: .text(value))
  }

  /// Strings that are equal for Swift can be different names.
  private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

  private static func read<Kind: EditableDocument>(
    _ document: Kind, _ names: [String], _ address: (String) -> String
  ) -> [DocumentValue?] {
    names.map { (try? document.value(at: address($0))) ?? nil }
  }

  /// Edits of YAML that people wrote: each is refused and changes nothing, or the scalars read as meant.
  private static func editText(_ input: [UInt8]) throws(Violation) {
    let text: YAMLText
    do throws(DocumentError) {
      text = try YAMLText(input)
    } catch {
      guard let place = error.place else { throw Violation("no place: \(error.detail)") }
      return try require(line: place.line, column: place.column, inside: input)
    }
    let leaves = text.leaves()
    for leaf in leaves { try require(line: leaf.place.line, column: leaf.place.column, inside: input) }
    var paths: Set<[[UInt8]]> = []
    for leaf in leaves where !paths.insert(leaf.path.map { Array($0.utf8) }).inserted {
      // The same name twice: edits take the first, and the name says nothing of which.
      return
    }
    // So it is where one of the two is not a scalar.
    for leaf in leaves {
      for depth in leaf.path.indices {
        guard case .mapping(let names, _)? = text.form(of: Array(leaf.path[..<depth])) else { continue }
        if Set(names.map { Array($0.utf8) }).count < names.count { return }
      }
    }
    typealias Said = [([String], String)]
    func said(_ text: YAMLText) -> Said { text.leaves().map { ($0.path, $0.text) } }
    func shown(_ said: Said) -> [String] { said.map { "\($0.0) \($0.1)" }.sorted() }
    func attempt(_ what: String, _ edit: (inout YAMLText) throws(DocumentError) -> Void, _ expected: Said)
      throws(Violation)
    {
      var edited = text
      do throws(DocumentError) { try edit(&edited) } catch {
        return try require(edited.bytes == input, "\(what) was refused, but changed the text")
      }
      let again: YAMLText
      do throws(DocumentError) { again = try YAMLText(edited.bytes) } catch {
        throw Violation("\(what) made a text that cannot be read: \(error.detail)")
      }
      try require(
        shown(said(again)) == shown(expected),
        "\(what) reads otherwise in \(String(decoding: edited.bytes, as: UTF8.self).debugDescription)")
    }
    let before = said(text)
    func isBelow(_ path: [String], _ other: [String]) -> Bool { path.starts(with: other, by: isSame) }
    for (path, _) in before.prefix(4) where !path.isEmpty {
      let new = Self.values[(input.count + path.count) % Self.values.count]
      let written = String(decoding: new, as: UTF8.self)
      try attempt(
        "replacing \(path)", { text throws(DocumentError) in try text.replace(path, with: .scalar(written)) },
        before.map { ($0.0, isBelow($0.0, path) ? written : $0.1) })
      let parent = Array(path.dropLast())
      guard case .mapping(let names, _)? = text.form(of: parent) else { continue }
      try attempt(
        "removing \(path)", { text throws(DocumentError) in try text.remove(path) },
        before.filter { !isBelow($0.0, path) })
      guard !names.contains("fuzzed") else { continue }
      try attempt(
        "renaming \(path)", { text throws(DocumentError) in try text.rename(path, to: "fuzzed") },
        before.map { isBelow($0.0, path) ? (parent + ["fuzzed"] + $0.0.dropFirst(path.count), $0.1) : $0 })
      try attempt(
        "nesting \(path)", { text throws(DocumentError) in try text.nest(path, under: "fuzzed") },
        before.map { isBelow($0.0, path) ? (path + ["fuzzed"] + $0.0.dropFirst(path.count), $0.1) : $0 })
      try attempt(
        "inserting beside \(path)", { text throws(DocumentError) in try text.insert("fuzzed: 1", into: parent) },
        before + [(parent + ["fuzzed"], "1")])
    }
    for (path, _) in before.prefix(2) where path.last == "0" {
      let list = Array(path.dropLast())
      guard !list.isEmpty, case .list(let items)? = text.form(of: list) else { continue }
      try attempt(
        "appending to \(list)", { text throws(DocumentError) in try text.append("fuzzed", to: list) },
        before + [(list + ["\(items.count)"], "fuzzed")])
    }
    func isStable(_ what: String, _ edit: (inout YAMLText) throws(DocumentError) -> Void) throws(Violation) {
      try attempt(what, edit, before)
      var edited = text
      guard (try? edit(&edited)) != nil else { return }
      var again = edited
      guard (try? edit(&again)) != nil else { throw Violation("\(what) is refused the second time") }
      try require(again.bytes == edited.bytes, "\(what) is not stable")
    }
    try isStable("tidying") { text throws(DocumentError) in try text.tidy() }
    try isStable("ordering") { text throws(DocumentError) in
      let form = text
      try text.order { form.form(of: $0)?.names.sorted(by: >) }
    }
    try isStable("indenting") { text throws(DocumentError) in text.indent() }
  }
}
