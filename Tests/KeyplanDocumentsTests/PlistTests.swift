import KeyplanDocuments
import Testing

@Suite("Property lists")
struct PlistTests {
  private static let head =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://x/y>z.dtd\">\n"

  static let sample =
    head + """
      <!-- c --><plist version="1.0">
      <dict>
        <key>A</key><string>b &amp;&lt;&gt;&quot;&apos;&#233;&#x1F511; <![CDATA[<&]]><!-- d -->é\r\nf</string>
        <key>N</key> <dict><key>S</key><integer> -12 </integer><key>R</key><real>1.50</real></dict>
        <key>T</key><true/><key>F</key><false></false>
        <key>D</key><date>2026-01-02T03:04:05Z</date><key>B</key><data>c2VjcmV0</data>
        <key>L</key><array><string>x</string><dict><key>y</key><string/></dict></array><key>E</key><dict/>
        <key>a/b</key><string>slash</string>
      </dict>
      </plist>

      """

  @Test(
    "keys on the way lead to the value",
    arguments: [
      (name: "A", value: .text(Array("b &<>\"'é🔑 <&é\nf".utf8))),
      (name: "N", value: .other(.object)), (name: "N/S", value: .text(Array("-12".utf8))),
      (name: "N/R", value: .text(Array("1.50".utf8))), (name: "T", value: .text(Array("true".utf8))),
      (name: "F", value: .text(Array("false".utf8))), (name: "D", value: .text(Array("2026-01-02T03:04:05Z".utf8))),
      (name: "B", value: .other(.data)), (name: "L", value: .other(.array)), (name: "L/1/y", value: .text([])),
      (name: "/N/S", value: .text(Array("-12".utf8))), (name: "/A/S", value: nil), (name: "/L/1/y", value: .text([])),
      (name: "/a~1b", value: .text(Array("slash".utf8))), (name: "a/b", value: nil),
      (name: "E", value: .other(.object)), (name: "N/X", value: nil), (name: "A/S", value: nil), (name: "", value: nil),
    ] as [(name: String, value: DocumentValue?)])
  func look(name: String, value: DocumentValue?) throws {
    #expect(try PlistDocument(Self.sample).value(at: name) == value)
  }

  @Test(
    "a hostile, cut or foreign file is refused with its place",
    arguments: [
      (file: "bplist00\u{1}", fault: "unsupported 1:1"),
      (file: "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", fault: "unsupported 1:17"),
      (file: "<plist><string>&a;</string></plist>", fault: "malformed 1:16"),
      (file: "<plist><string>&#0;</string></plist>", fault: "malformed 1:16"),
      (file: "<plist><string>a & b</string></plist>", fault: "malformed 1:18"),
      (file: "<?xml version='1.0' encoding='latin1'?><plist><true/></plist>", fault: "unsupported 1:1"),
      (file: "<plist><dict>\n<key>a</key><true/><key>a</key><true/></dict></plist>", fault: "duplicateName 2:25"),
      (file: "<plist><dict><string>a</string></dict></plist>", fault: "malformed 1:22"),
      (file: "<plist><string>a</key></plist>", fault: "malformed 1:23"),
      (file: "<plist><string>a", fault: "malformed 1:17"),
      (file: "<plist><true/></plist>x", fault: "malformed 1:23"),
      (file: "<plist><string>\u{1}</string></plist>", fault: "malformed 1:16"),
      (file: "<plist>" + String(repeating: "<array>", count: 65), fault: "tooDeep 1:463"),
      (file: " ", fault: "malformed 1:2"),
    ])
  func refused(file: String, fault expected: String) {
    #expect(fault { _ = try PlistDocument(file) }?.summary == expected)
  }
}
