import KeyplanModel

/// A line of a manifest that is prepared for a log.
struct RedactedLine {
  private var scalars: [Unicode.Scalar]
  private let isReference: (String) -> Bool

  init(_ bytes: ArraySlice<UInt8>, isReference: @escaping (String) -> Bool) {
    scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    self.isReference = isReference
  }

  /// The line without characters that a terminal would interpret.
  var text: String {
    var text = String.UnicodeScalarView()
    for scalar in scalars {
      switch scalar.properties.generalCategory {
      case .control: text.append(scalar == "\t" ? " " : "?")
      case .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: text.append("?")
      default: text.append(scalar)
      }
    }
    return String(text)
  }

  /// Hides locations. Width 1 may mean a value that spans several lines, so it hides the rest of the line.
  mutating func hide(_ places: [FileLocation]) {
    let count = scalars.count
    var done = 0
    // In order, and each character once: an alias may repeat its location any number of times.
    for place in places.sorted() where place.column >= 1 && place.column <= count {
      let start = place.column - 1
      let end = place.width > 1 && place.width < count - start ? start + place.width : count
      if end > done { hide(max(start, done)..<end) }
      done = max(done, end)
    }
  }

  private mutating func hide(_ range: Range<Int>) {
    for index in range where scalars[index] != " " { scalars[index] = "*" }
  }

  /// Hides long words that look generated; in strict mode, everything that could be a value.
  mutating func hideGenerated(isStrict: Bool) {
    var name: String?
    var index = 0
    while index < scalars.count {
      guard !Self.separators.contains(scalars[index]) else {
        if scalars[index] == "," || scalars[index] == "}" { name = nil }
        index += 1
        continue
      }
      var end = index
      while end < scalars.count, !Self.separators.contains(scalars[end]) { end += 1 }
      var token = String(String.UnicodeScalarView(scalars[index..<end]))
      if token == "-" || token.hasSuffix(":") {
        name = String(token.dropLast())
        token = name ?? ""
      } else if isStrict, name.map({ !Self.harmlessFields.contains($0) }) ?? false, !isReference(token) {
        hide(index..<end)
      }
      if !isReference(token),
        Self.looksGenerated(token) || (isStrict && !ManifestMessages.isHarmless(token) && token != "")
      {
        hide(index..<end)
      }
      index = end
    }
  }

  private static let separators: Set<Unicode.Scalar> = [" ", "\t", "\"", "'", "[", "]", "{", "}", ","]

  /// Fields whose values are names or keywords.
  private static let harmlessFields = Set(Shape.all.flatMap(\.rows).filter(\.isHarmless).map(\.name))
    .union(["type", "takeOver", "mode", "after"])

  /// At least 20 characters, with at least 8 in parts that are not words.
  private static func looksGenerated(_ token: String) -> Bool {
    let bytes = Array(token.utf8)
    guard bytes.count >= 20 else { return false }
    let parts = bytes.split { !$0.isAlphanumeric && $0 < 0x80 }
    return parts.reduce(0) { $0 + (ManifestMessages.isWord($1) ? 0 : $1.count) } >= 8
  }
}
