/// Lists the names at which a property list has text.
package enum PlistNames {
  /// The names in file order, without elements of arrays and empty keys: a name at the top level as it is, any other as
  /// a JSON Pointer.
  ///
  /// - Throws: ``DocumentError`` with the position of the first error.
  package static func texts(in bytes: [UInt8]) throws(DocumentError) -> [String] {
    // PlistDocument validates the file's grammar and limits, so this loop need not.
    let document = try PlistDocument(bytes)
    var xml = try XMLReader(bytes)
    try xml.prologue()
    _ = try xml.tag(attributes: true)
    var (names, open, found): ([String], [String], [String]) = ([], [], [])
    while true {
      let tag = try xml.tag()
      switch tag {
      case .close("plist"): return found
      case .close:
        open.removeLast()
        if open.last == "dict", !names.isEmpty { names.removeLast() }
      case .open("dict"), .open("array"):
        if case .open(let kind) = tag { open.append(kind) }
      case .open("key"):
        names.append(String(decoding: try xml.text(), as: UTF8.self))
        _ = try xml.tag()
      case .empty("key"): names.append("")
      default:
        let isPlain = names.count == 1 && !names[0].utf8.contains(.slash)
        let name = isPlain ? names[0] : JSONDocument.pointer(to: names)
        let isNamed = !open.contains("array") && !names.contains { $0.isEmpty }
        if isNamed, case .text = try document.value(at: name) { found.append(name) }
        if case .open = tag {
          _ = try xml.text()
          _ = try xml.tag()
        }
        if open.last == "dict", !names.isEmpty { names.removeLast() }
      }
    }
  }
}
