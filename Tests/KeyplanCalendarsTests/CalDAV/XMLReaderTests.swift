import CExpat
import Foundation
import TestTools
import Testing

@testable import KeyplanCalendars

@Suite struct XMLReaderTests {
  private func read(_ bytes: [UInt8], _ limits: keyplan_xml_limits = XMLReader.limits) throws(XMLFault) -> XMLElement {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(XMLFault) in try XMLReader.read(bytes, within: limits) }
    }
    return try result.get()
  }

  private func fault(_ bytes: [UInt8], _ limits: keyplan_xml_limits = XMLReader.limits) -> XMLFault? {
    do throws(XMLFault) {
      _ = try read(bytes, limits)
      return nil
    } catch {
      return error
    }
  }

  @Test("prefixes mean nothing, namespaces do; text in pieces, in CDATA and by reference is one")
  func tree() throws {
    let text = """
      <?xml version="1.0" encoding="utf-8"?>
      <!-- <not a="tag"> --><x:a xmlns:x="DAV:" xmlns="urn:b"><c n="1" x:n="2"> a&amp;b<![CDATA[<it's>]]>&#xE9;ü </c>\
      <c xmlns=""/></x:a>
      """
    let root = try read(Array(text.utf8))
    #expect(root.name == .dav("a"))
    #expect(root.children.map(\.name) == [XMLName(space: "urn:b", local: "c"), XMLName(space: "", local: "c")])
    #expect(root.children[0].attributes == ["n": "1"])
    #expect(root.children[0].text == "a&b<it's>éü")
  }

  @Test(
    "a document type is refused before any entity can be expanded or fetched",
    arguments: [
      """
      <?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
      <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><l>&c;</l>
      """,
      #"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>"#,
      #"<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>"#,
      #"<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]><a/>"#,
      "<!DOCTYPE a><a/>",
    ])
  func doctype(text: String) { #expect(fault(Array(text.utf8)) == .doctype) }

  @Test("a document cut off at any byte is none")
  func truncated() throws {
    let whole = Array(#"<a x="1"><b>text</b><!-- c --><![CDATA[d]]>&lt;</a>"#.utf8)
    for count in 0..<whole.count {
      guard case .malformed = fault(Array(whole[..<count])) else {
        Issue.record("\(count) bytes")
        continue
      }
    }
    #expect(fault(whole) == nil)
  }

  /// Latin 1, declared and not; overlong; a lone surrogate; UTF-16 with its mark and without.
  private static let wrongEncodings: [[UInt8]] = [
    Array(#"<?xml version="1.0" encoding="iso-8859-1"?><a>"#.utf8) + [0xE9] + Array("</a>".utf8),
    Array("<a>".utf8) + [0xE9] + Array("</a>".utf8), Array("<a>".utf8) + [0xC0, 0xAF] + Array("</a>".utf8),
    Array("<a>".utf8) + [0xED, 0xA0, 0x80] + Array("</a>".utf8),
    [0xFF, 0xFE] + Array("<a/>".utf8).flatMap { [$0, 0] }, Array("<a/>".utf8).flatMap { [0, $0] },
  ]
  private static let wrongTexts = [
    "", "plain", "<a>\u{1}</a>", "<a>\0</a>", "<a>&nbsp;</a>", "<a></b>", "<a/><b/>", "<x:a/>", "<a b='1' b='2'/>",
  ]

  @Test("what is no XML in UTF-8 is refused", arguments: wrongEncodings + wrongTexts.map { Array($0.utf8) })
  func malformed(bytes: [UInt8]) {
    guard case .malformed = fault(bytes) else {
      Issue.record("\(String(describing: fault(bytes)))")
      return
    }
  }

  @Test("the limits are exact: bytes, depth, elements, one tag, one name")
  func limits() {
    let limits = keyplan_xml_limits(bytes: 400, elements: 5, depth: 3, tag: 100, name: 20)
    func check(_ fits: String, _ tooMuch: String, line: Int = #line) {
      #expect(fault(Array(fits.utf8), limits) == nil, "\(line)")
      #expect(fault(Array(tooMuch.utf8), limits) == .tooLarge, "\(line)")
    }
    func padding(_ count: Int) -> String { String(repeating: "x", count: count) }
    check("<a>\(padding(393))</a>", "<a>\(padding(394))</a>")
    check("<a><a><a/></a></a>", "<a><a><a><a/></a></a></a>")
    check("<a><b/><b/><b/><b/></a>", "<a><b/><b/><b/><b/><b/></a>")
    check("<a b='\(padding(92))'/>", "<a b='\(padding(93))'/>")
    // A tag does not end in a quote, nor begin in a comment or CDATA.
    check("<a b='>\(padding(91))'/>", "<a b='>\(padding(92))'/>")
    check(
      "<a><!-- <b '\(padding(150)) --><![CDATA[<c \"\(padding(150))]]></a>",
      "<a><!-- <b --><c d='\(padding(100))'/></a>")
    check("<\(padding(20))/>", "<\(padding(21))/>")
    check("<p:\(padding(9)) xmlns:p='0123456789'/>", "<p:\(padding(10)) xmlns:p='0123456789'/>")
  }

  @Test("a machine without libexpat is told so, and nothing links it")
  func loading() throws {
    #expect(ExpatLibrary.load("libexpat-that-is-not-there.so.1")?.contains("libexpat-that-is-not-there") == true)
    let text = try Child.answer(["readelf", "--dynamic", "/proc/\(getpid())/exe"]).text
    #expect(text.contains("NEEDED"))
    #expect(!text.contains("libexpat"))
  }
}
