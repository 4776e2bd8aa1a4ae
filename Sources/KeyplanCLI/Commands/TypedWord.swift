internal import ArgumentParser
internal import KeyplanPlanning
internal import KeyplanReporting

/// A command-line argument that a message may repeat. It can be a secret that was typed in the wrong position:
/// `keyplan run PASSWORD=… COMMAND`.
struct TypedWord {
  private let word: String

  init(_ word: String) { self.word = word }

  /// Whether it looks like a word of a language, or a small number: certainly neither a generated value nor `NAME=value`.
  var isShown: Bool {
    let bytes = word.utf8
    let isNumber = bytes.count <= 4 && bytes.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber
      || bytes.count <= 15
        && bytes.allSatisfy { (0x61...0x7a).contains($0) || (0x41...0x5a).contains($0) || $0 == 0x2d }
  }

  /// Whether it is nearly the name of a command.
  private var isNearCommand: Bool {
    let names = Keyplan.commandNames
    return names.contains(word) || Suggestion.nearest(to: word, among: names) != nil
  }

  /// A message of the argument parser in which words that may be values are replaced by their positions.
  static func hiding(_ words: [String], in message: String) -> String {
    let mark = " does not take any value, but '"
    if let cut = message.firstRange(of: mark) {
      return String(message[..<cut.lowerBound]) + " does not take a value."
    }
    // A word without an option can be anything; the value of one is what the option takes.
    let isStrict = message.contains("nexpected argument")
    var message = message
    for (index, word) in words.enumerated() {
      var parts = [word]
      if word.hasPrefix("-"), let equals = word.firstIndex(of: "=") {
        parts.append(String(word[word.index(after: equals)...]))
      }
      for part in parts where !part.isEmpty && message.contains("'\(part)'") {
        let typed = TypedWord(part)
        if part.hasPrefix("-"), !part.contains("=") { continue }
        guard isStrict ? !typed.isNearCommand : !typed.isShown else { continue }
        message = message.replacing("'\(part)'", with: "(word \(index + 1) after `keyplan`)")
      }
    }
    return message
  }

  /// A command line to be pasted; nil if a word of it may be a value, which is not repeated.
  static func line(_ words: [String]) -> String? {
    let isShown = words.allSatisfy { word in
      word.hasPrefix("-") ? !word.contains("=") : TypedWord(word).isShown
    }
    return isShown ? words.joined(separator: " ") : nil
  }
}
