import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  mutating func format(_ tree: LayeredNode?) -> FormatPattern? {
    guard let text = text(tree, "format") else { return nil }
    do {
      return try FormatPattern(text.value)
    } catch {
      notes.report(
        .invalidValue, error.fault.sentence,
        hint: "A format consists of literals, classes such as [A-Za-z0-9], {m,n} and one level of (?:a|b).",
        at: place(of: error.offset, in: text, tree))
      return nil
    }
  }

  /// The location of an offset in a scalar without escapes; otherwise the scalar's own location.
  private func place(of offset: Int, in text: Located<String>, _ tree: LayeredNode?) -> FileLocation {
    guard case .scalar(let scalar) = tree?.content, offset <= text.value.utf8.count else { return text.place }
    let points = text.value.unicodeScalars.count
    let isQuoted = scalar.style == .doubleQuoted || scalar.style == .singleQuoted
    guard text.place.width == points + (isQuoted ? 2 : 0) else { return text.place }
    let before = text.value.utf8.prefix(offset).count { $0 & 0xC0 != 0x80 }
    return FileLocation(
      file: text.place.file, line: text.place.line,
      column: text.place.column + min(before, max(0, points - 1)) + (isQuoted ? 1 : 0))
  }
}

extension FormatPattern.Fault {
  /// The error, as a sentence.
  package var sentence: String {
    switch self {
    case .tooLarge: "The format is too large."
    case .nestedGroup: "Groups cannot be nested."
    case .unsupportedGroup: "Only (…) and (?:…) are supported as groups."
    case .openGroup: "A group is not closed."
    case .negatedClass: "Negated classes are not supported."
    case .emptyClass: "A class is empty."
    case .openClass: "A class is not closed."
    case .escapeInRange: "A range cannot end with an escape."
    case .reversedRange: "A range ends before it begins."
    case .specialCharacter:
      "This character is not supported here. Write a backslash before it if you mean the character itself."
    case .unsupportedEscape: "This escape is not supported."
    case .trailingBackslash: "A backslash at the end escapes nothing."
    case .missingNumber: "A number is missing."
    case .invalidRepeat: "A repeat is {m} or {m,n}, where m is at most n and n is at most 4096."
    }
  }
}
