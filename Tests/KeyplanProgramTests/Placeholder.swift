import Foundation

/// What may vary from run to run in a transcript. None of them takes any word, so none can swallow a line.
enum Placeholder: String, CaseIterable {
  /// A plan's id.
  case id = "kp1-[0-9a-z]{26}"
  /// The begin of a store's id, as headings show it.
  case store = "[0-9a-f]{4}(?:…|\\.\\.\\.)"
  /// A date and a time of day, with its zone: UTC, or on a terminal the offset.
  case time = "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z| [+-][0-9]{2}:[0-9]{2})"
  /// A date.
  case date = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
  /// A public age key.
  case recipient = "age1[0-9a-z]{58}"
  /// The beginning and the end of one.
  case short = "age1[0-9a-z]{6}(?:…|\\.\\.\\.)[0-9a-z]{12}"
  /// Hexadecimal digits: ids, commitments, signatures.
  case hex = "[0-9a-f]{16,}"
  /// The serial of a commit. How many commits an apply makes depends on how fast its steps outside end.
  case serial = "(?<=serial {1,9}|\"serial\":|\"revision\":)[0-9]+"
  /// A number that is not the point: a process id, days until a date.
  case n = "[0-9]+"
  /// This machine's name.
  case host = "[^ ]+"

  private var name: String { "<\(self)>" }

  /// Whether a line is as it is expected.
  static func line(_ line: String, fits expected: String) -> Bool {
    if line == expected { return true }
    guard expected.contains("<") else { return false }
    var pattern = NSRegularExpression.escapedPattern(for: expected)
    for placeholder in allCases {
      pattern = pattern.replacingOccurrences(of: placeholder.name, with: placeholder.rawValue)
    }
    return line.range(of: "\\A(?:\(pattern))\\z", options: .regularExpression) != nil
  }

  /// A line as it is recorded. Dates and ids that stand in the story itself are the story's own, and are kept.
  static func recorded(_ line: String, in story: String) -> String {
    var line = line
    for placeholder in allCases where placeholder != .n && placeholder != .host {
      var start = line.startIndex
      while let range = line.range(of: placeholder.rawValue, options: .regularExpression, range: start..<line.endIndex)
      {
        let offset = line.distance(from: line.startIndex, to: range.lowerBound)
        let word = String(line[range])
        let kept = placeholder != .serial && story.contains(word) ? word : placeholder.name
        line.replaceSubrange(range, with: kept)
        start = line.index(line.startIndex, offsetBy: offset + kept.count)
      }
    }
    return line
  }
}
