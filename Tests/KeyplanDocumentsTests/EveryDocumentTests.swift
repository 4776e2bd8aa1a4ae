import KeyplanDocuments
import Testing

@Suite("Every document")
struct EveryDocumentTests {
  static let secret = "sk-canary-8f2a"

  static let samples: [(kind: any Document.Type, file: String)] = [
    (
      DotenvDocument.self, "\u{FEFF}# é\r\nexport A = \"\(secret)\\n\u{1F511}\" # c\r\nB='\(secret)'\nC=\(secret) # d\n"
    ),
    (JSONDocument.self, "{\"a\": [\"\\ud83d\\udd11\(secret)é\", -1.5e3, true, null], \"b\": {\"c\": \"\(secret)\"}}"),
    (PlistDocument.self, PlistTests.sample.replacing("b &amp;", with: secret)),
    (YAMLDocument.self, YAMLTests.sample.replacing("it''s", with: secret) + "z: \"\(secret)\"\n"),
  ]

  @Test("a file cut or damaged at any byte is read or refused, with a place and without a word of it")
  func damaged() {
    for sample in Self.samples {
      let bytes = Array(sample.file.utf8)
      #expect(fault { _ = try sample.kind.init(bytes) } == nil)
      for offset in bytes.indices {
        for junk in [[], [0x22], [0x27], [0x7B], [0x26], [0x0D], [0xFF], [0x00]] as [[UInt8]] {
          for rest in [[], bytes[(offset + 1)...]] {
            guard let fault = fault({ _ = try sample.kind.init(Array(bytes[..<offset]) + junk + rest) }) else {
              continue
            }
            #expect(fault.place != nil)
            #expect(!"\(fault)\(String(reflecting: fault))".contains("canary"))
          }
        }
      }
    }
  }

  @Test("printing, reflecting and dumping a document or a value tells its type alone") func undisclosed() throws {
    for sample in Self.samples {
      let document = try sample.kind.init(sample.file)
      var told = "\(document) \(String(reflecting: document)) "
      dump(document, to: &told)
      let value = DocumentValue.text(Array(Self.secret.utf8))
      dump([value], to: &told)
      told += "\([value]) \(String(reflecting: value)) \(Mirror(reflecting: value).children.count)"
      #expect(!told.contains("canary") && !told.contains("115") && told.contains("DocumentValue"))
    }
  }

  @Test("an edit that is refused says nothing of the values it met") func editing() throws {
    var dotenv = try DotenvDocument("A=\(Self.secret)\n")
    var json = try JSONDocument("{\"a\": [\"\(Self.secret)\"], \"\(Self.secret)\": 1}")
    var yaml = try YAMLDocument("a: &x \(Self.secret)\n\(Self.secret): 1\nk: |\n  \(Self.secret)")
    var plist = try PlistDocument("<plist><dict><key>a</key><string><!-- -->\(Self.secret)</string></dict></plist>")
    try yaml.set("new", to: Self.secret)
    let faults = [
      fault { try yaml.set("a", to: "x") }, fault { try yaml.set(Self.secret, to: Self.secret) },
      fault { try yaml.remove("k") }, fault { _ = try yaml.finished() },
      fault { try plist.set("a", to: Self.secret + "x") }, fault { try plist.set("b", to: Self.secret + "\u{1}") },
      fault { try dotenv.set("A", to: Self.secret + "\0") }, fault { try dotenv.set(Self.secret, to: "x") },
      fault { try json.set("a", to: Self.secret) }, fault { try json.set(Self.secret, to: Self.secret) },
      fault { try json.remove("/a/0") },
    ]
    for fault in faults {
      #expect(fault != nil)
      #expect(!String(reflecting: fault).contains("canary"))
    }
  }

  @Test("many names are read, set and removed") func many() throws {
    var dotenv = try DotenvDocument("")
    var json = try JSONDocument("")
    var yaml = try YAMLDocument("")
    var plist = try PlistDocument("")
    for index in 0..<10_000 {
      try yaml.set("N\(index)", to: "v\(index)")
      try plist.set("N\(index)", to: "v\(index)")
      try dotenv.set("N\(index)", to: "v\(index)")
      try json.set("N\(index)", to: "v\(index)")
    }
    dotenv = try DotenvDocument(dotenv.bytes)
    json = try JSONDocument(json.bytes)
    yaml = try YAMLDocument(yaml.finished())
    plist = try PlistDocument(plist.bytes)
    #expect(yaml.names == json.names && plist.names == json.names)
    #expect(dotenv.names == json.names && dotenv.names.count == 10_000)
    for index in 0..<10_000 {
      #expect(try dotenv.text(at: "N\(index)") == json.text(at: "N\(index)"))
      #expect(try yaml.text(at: "N\(index)") == json.text(at: "N\(index)"))
      try yaml.remove("N\(index)")
      try plist.remove("N\(index)")
      try dotenv.remove("N\(index)")
      try json.remove("N\(index)")
    }
    #expect(dotenv.bytes.isEmpty)
    #expect(json.written == "{}\n")
    #expect(try yaml.finished().isEmpty)
    #expect(plist.names.isEmpty && plist.written.hasSuffix("<dict>\n</dict>\n</plist>\n"))
  }
}
