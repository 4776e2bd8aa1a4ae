/// The words of a command line, as the plain forms of commands read them (see `PlainCommands.swift`).
struct PlainLine {
  /// One word, or the rest of the line.
  enum Word {
    /// `--name`, `--name=VALUE` or a short `-n`. Its name with the dashes; `value()` has the value.
    case option(String)
    case operand(String)
    /// The words after `--`.
    case rest([String])
  }

  private var words: ArraySlice<String>
  /// The text after `=` in the last option; nil once `value()` has returned it.
  private var attached: String?

  private init(_ words: [String]) { self.words = words[...] }

  /// Reads all words into a command.
  /// - Parameter take: whether it knows the word, and its value is valid.
  /// - Returns: nil if a word is unusual in any way: then the parser reads the line, and explains errors.
  static func read<Command>(
    _ words: [String], into command: Command, _ take: (inout Command, Word, inout PlainLine) -> Bool
  ) -> Command? {
    var (command, line) = (command, PlainLine(words))
    while let word = line.next() {
      guard let word, take(&command, word, &line), line.attached == nil else { return nil }
    }
    return command
  }

  /// - Returns: nil at the end; `.some(nil)` for a word that only the parser can read, such as `-qv`.
  private mutating func next() -> Word?? {
    guard let word = words.popFirst() else { return nil }
    guard word.utf8.first == UInt8(ascii: "-") else { return .operand(word) }
    guard word.utf8.dropFirst().first == UInt8(ascii: "-") else {
      return word.utf8.count == 2 ? .option(word) : .some(nil)
    }
    guard word.utf8.count > 2 else {
      defer { words = [] }
      return .rest(Array(words))
    }
    guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return .option(word) }
    attached = String(word[word.index(after: equals)...])
    return .option(String(word[..<equals]))
  }

  /// The value of the option that was read last; nil if it is missing, empty, or may be another option.
  mutating func value() -> String? {
    if let attached {
      self.attached = nil
      return attached.isEmpty ? nil : attached
    }
    guard let word = words.first, let first = word.utf8.first, first != UInt8(ascii: "-") else { return nil }
    words = words.dropFirst()
    return word
  }

  /// Sets an option that may be given once.
  /// - Returns: whether the value is valid and the first one.
  mutating func set<Value>(_ option: inout Value?, _ parsed: (String) -> Value?) -> Bool {
    guard option == nil, let value = value().flatMap(parsed) else { return false }
    option = value
    return true
  }
}

extension PlainLine {
  mutating func set(_ option: inout String?) -> Bool { set(&option) { $0 } }
}

extension Bool {
  /// Sets a flag.
  /// - Returns: true, like all methods for a word of a plain line.
  mutating func setFlag() -> Bool {
    self = true
    return true
  }
}
