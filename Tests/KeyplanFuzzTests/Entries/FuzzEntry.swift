/// A parser of bytes from outside, and what must hold for all bytes whatever. libFuzzer runs each (`scripts/fuzz.sh`), and so does
/// `CorpusTests` with the inputs in `Corpus/`.
struct FuzzEntry: Sendable {
  /// The folder in `Corpus/`.
  let name: String
  /// The longest input that is worth the time.
  var longest = 4096
  /// - Throws: what should hold and does not.
  let check: @Sendable ([UInt8]) throws(Violation) -> Void

  static let all: [FuzzEntry] =
    documents + manifests + ageFiles + plans + signIns + calendars + stores + services
}

/// What should hold, and does not.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(Violation) {
  guard condition else { throw Violation(what()) }
}

/// Requires that a line and column, from 1, are inside a text or just behind its end.
func require(line: Int, column: Int = 1, inside text: [UInt8]) throws(Violation) {
  // Formats end lines in different ways; this is the greatest number by any of them.
  let lines = 1 + text.count { $0 == 0x0A || $0 == 0x0D }
  let widest = text.split(separator: 0x0A).lazy.map(\.count).max() ?? 0
  try require((1...lines).contains(line), "line \(line) of \(lines)")
  try require((1...widest + 1).contains(column), "column \(column), where the widest line has \(widest)")
}
