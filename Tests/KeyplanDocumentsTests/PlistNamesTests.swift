import KeyplanDocuments
import Testing

@Suite("Names of a property list")
struct PlistNamesTests {
  @Test(
    "are those of its texts, in the order of the file",
    arguments: [
      (inner: "<dict><key>b</key><string>1</string><key>a</key><integer>2</integer></dict>", names: ["b", "a"]),
      (inner: "<dict><key>a</key><dict><key>b</key><true/></dict><key>c</key><string/></dict>", names: ["/a/b", "c"]),
      (inner: "<dict><key>a</key><dict/><key>b</key><string>x</string></dict>", names: ["b"]),
      (inner: "<dict><key>a</key><data>AAAA</data><key>b</key><date>2026-11-21</date></dict>", names: ["b"]),
      (
        inner: "<dict><key>l</key><array><string>x</string><dict><key>k</key><string>y</string></dict></array>"
          + "<key>b</key><string>z</string></dict>", names: ["b"]
      ),
      (inner: "<dict><key>a/b</key><string>x</string><key/><true/></dict>", names: ["/a~1b"]),
      (inner: "<dict><key>a~</key><dict><key>b</key><true/></dict><key>~</key><true/></dict>", names: ["/a~0/b", "~"]),
      (
        inner: "<dict><key>a<!-- c --></key><!-- d --><string><![CDATA[<x>]]></string>"
          + "<key>e&amp;f</key><real>1</real></dict>",
        names: ["a", "e&f"]
      ),
      (inner: "<array><string>x</string></array>", names: []),
      (inner: "<string>x</string>", names: []),
      (inner: "<dict/>", names: []),
    ])
  func names(inner: String, names: [String]) throws {
    let bytes = Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(inner)</plist>".utf8)
    #expect(try PlistNames.texts(in: bytes) == names)
    let document = try PlistDocument(bytes)
    for name in names {
      guard case .text? = try document.value(at: name) else {
        Issue.record("\(name) leads to no text")
        continue
      }
    }
  }

  @Test("are not asked of what is no property list") func refused() {
    for text in ["", "<plist>", "bplist00", "<plist><dict><key>a</key></dict></plist>", "{}"] {
      #expect(throws: DocumentError.self) { try PlistNames.texts(in: Array(text.utf8)) }
    }
  }
}
