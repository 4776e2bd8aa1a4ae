/// The NAME of the program `age-plugin-NAME`, in lower case.
package struct PluginName: Hashable, Sendable, CustomStringConvertible {
  private let text: String

  /// Recipients that look like those of plugins, and are native ones of age.
  static let native: Set<String> = ["pq", "tag", "tagpq"]

  /// Nil for a name that age does not allow for a plugin, and for a native prefix.
  package init?(_ text: some Sequence<UInt8>) {
    let name = text.map(Bech32.lowercased)
    guard !name.isEmpty, name.allSatisfy(Self.isAllowed) else { return nil }
    self.text = String(decoding: name, as: UTF8.self)
    guard !Self.native.contains(self.text) else { return nil }
  }

  /// C2SP age-plugin.md: alphanumeric characters and `+-._`, so that no name leads to another folder.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "+-._".utf8.contains(byte)
    }
  }

  package var description: String { text }

  /// The program's file name.
  package var program: String { "age-plugin-\(text)" }
}
