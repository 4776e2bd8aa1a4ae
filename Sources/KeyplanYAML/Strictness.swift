/// Checks for text that YAML 1.2 forbids and libyaml accepts. Each reads its part of the text once.
extension SourceText {
  /// An error, and the byte at which it is.
  struct Fault {
    let code: YAMLError.Code
    let offset: Int
    let detail: String

    private init(_ code: YAMLError.Code, at offset: Int, _ detail: String) {
      (self.code, self.offset, self.detail) = (code, offset, detail)
    }

    static func utf16() -> Fault {
      Fault(.encoding, at: 0, "The document is encoded in UTF-16; only UTF-8 is supported.")
    }
    static func lineSeparator(at offset: Int) -> Fault {
      Fault(
        .character, at: offset,
        "A Unicode line separator (U+0085, U+2028 or U+2029) ends a line in YAML 1.1 but not in YAML 1.2; "
          + "write it as an escape in double quotes.")
    }
    static func gluedComment(at offset: Int) -> Fault {
      Fault(.syntax, at: offset, "A comment must be preceded by white space.")
    }
    static func gluedQuestionMark(at offset: Int) -> Fault {
      Fault(
        .syntax, at: offset,
        "A question mark must be followed by white space, or the text that it begins must be quoted.")
    }
    static func gluedAnchor(at offset: Int) -> Fault {
      Fault(.syntax, at: offset, "The name of an anchor or an alias must be followed by white space.")
    }
    static func directives(at offset: Int) -> Fault {
      Fault(.syntax, at: offset, "The document has more than 16 directives.")
    }
    static func indentation(at offset: Int) -> Fault {
      Fault(.syntax, at: offset, "The line continues a value and must be indented further than the block around it.")
    }
    static func blankLines(at offset: Int) -> Fault {
      Fault(.syntax, at: offset, "A blank line above is indented further than the first line of the text.")
    }
  }

  /// Checks the whole document: the encoding, and characters that break lines in one version of YAML but not in
  /// another, so that a comment could become content.
  func faultInCharacters() -> Fault? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return .utf16() }
    guard !isASCII else { return nil }
    for index in bytes.indices where bytes[index] == 0xC2 || bytes[index] == 0xE2 {
      let rest = bytes[index...].prefix(3)
      if rest.starts(with: [0xC2, 0x85]) || rest == [0xE2, 0x80, 0xA8] || rest == [0xE2, 0x80, 0xA9] {
        return .lineSeparator(at: index)
      }
    }
    return nil
  }

  /// Checks the lines before a document. The number of directives is limited because libyaml compares each with all
  /// others.
  func faultInDirectives(from offset: Int) -> Fault? {
    var count = 0
    var index = offset
    while index < bytes.count {
      while index < bytes.count, Byte.isBlank(bytes[index]) { index += 1 }
      let line = index
      while index < bytes.count, !Byte.isBreak(bytes[index]) { index += 1 }
      switch line < index ? bytes[line] : Byte.lf {
      case Byte.percent:
        count += 1
        if count > 16 { return .directives(at: line) }
        if let fault = faultBetweenEvents(line..<index) { return fault }
      case Byte.hash, Byte.lf: break
      default: return nil
      }
      index += 1
    }
    return nil
  }

  /// Checks the text between two events: white space, indicators and comments. `[a, b]#c` is not a comment, and `[?x]`
  /// is the text `?x`, which libyaml would read as `x`.
  func faultBetweenEvents(_ range: Range<Int>) -> Fault? {
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case Byte.hash:
        if index > base, !Byte.isWhite(bytes[index - 1]) { return .gluedComment(at: index) }
        while index < range.upperBound, !Byte.isBreak(bytes[index]) { index += 1 }
      case UInt8(ascii: "?") where index + 1 < bytes.count && !Byte.isWhite(bytes[index + 1]):
        return .gluedQuestionMark(at: index)
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Checks the byte after the name of an anchor or alias. `&a:b` names `a:b`; libyaml would read `:b` as content.
  func faultAfterName(_ offset: Int) -> Fault? {
    guard offset < bytes.count else { return nil }
    switch bytes[offset] {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return nil
    case let byte: return Byte.isWhite(byte) ? nil : .gluedAnchor(at: offset)
    }
  }

  /// Checks the lines of a quoted scalar or a bracketed collection in a block at `indent` (-1: in none).
  ///
  /// A line that closes a collection may be indented by `indent` itself. The specification demands more there too, but
  /// this style is common and unambiguous.
  func faultInIndentation(_ range: Range<Int>, in indent: Int, isCollection: Bool) -> Fault? {
    guard indent >= 0 else { return nil }
    var index = range.lowerBound
    while index < range.upperBound {
      guard Byte.isBreak(bytes[index]) else {
        index += 1
        continue
      }
      let line = index + 1
      index = line
      while index < range.upperBound, bytes[index] == Byte.space { index += 1 }
      let text = index
      while index < range.upperBound, Byte.isBlank(bytes[index]) { index += 1 }
      guard index < range.upperBound, !Byte.isBreak(bytes[index]) else { continue }
      switch bytes[index] {
      case Byte.hash where isCollection: continue
      case UInt8(ascii: "]") where isCollection && text - line == indent: continue
      case UInt8(ascii: "}") where isCollection && text - line == indent: continue
      default: if text - line <= indent { return .indentation(at: text) }
      }
    }
    return nil
  }

  /// Checks the head of a `|` or `>` scalar in a block at `indent`: the text after the indicator, and the blank lines,
  /// whose indentation libyaml mistakes for that of the text if the next line is less indented and looks like a comment.
  func faultInBlockScalar(_ range: Range<Int>, in indent: Int) -> Fault? {
    var index = skippingProperties(range)
    var isExplicit = false
    while index < range.upperBound, !Byte.isBreak(bytes[index]), bytes[index] != Byte.hash {
      isExplicit = isExplicit || UInt8(ascii: "1")...UInt8(ascii: "9") ~= bytes[index]
      index += 1
    }
    if index < range.upperBound, bytes[index] == Byte.hash {
      guard Byte.isBlank(bytes[index - 1]) else { return .gluedComment(at: index) }
      while index < range.upperBound, !Byte.isBreak(bytes[index]) { index += 1 }
    }
    guard !isExplicit else { return nil }
    var deepest = 0
    while index < bytes.count {
      let line = index
      while index < bytes.count, bytes[index] == Byte.space { index += 1 }
      guard index < bytes.count else { return nil }
      if Byte.isBreak(bytes[index]) {
        deepest = max(deepest, index - line)
        index += 1
      } else {
        let isOffside = bytes[index] == Byte.hash && index - line > indent && index - line < deepest
        return isOffside ? .blankLines(at: index) : nil
      }
    }
    return nil
  }

  /// The offset after the anchor, tag and comments at the beginning of a node.
  private func skippingProperties(_ range: Range<Int>) -> Int {
    var index = range.lowerBound
    while index < range.upperBound {
      switch bytes[index] {
      case Byte.hash:
        while index < range.upperBound, !Byte.isBreak(bytes[index]) { index += 1 }
      case Byte.ampersand, Byte.bang:
        while index < range.upperBound, !Byte.isWhite(bytes[index]) { index += 1 }
      case let byte where Byte.isWhite(byte):
        index += 1
      default:
        return index
      }
    }
    return index
  }
}

extension YAMLError {
  init(_ fault: SourceText.Fault, in source: SourceText) {
    self.init(code: fault.code, mark: source.mark(at: fault.offset), detail: fault.detail)
  }
}
