import KeyplanModel
import TestTools
import Testing

@Suite struct FormatPatternTests {
  static let rows: [(pattern: String, fits: [String], misses: [String])] = [
    ("acme_[A-Za-z0-9]{4}", ["acme_aZ09"], ["acme_aZ0", "acme_aZ090", "xacme_aZ09", "acme_aZ0-", ""]),
    ("[0-9a-f]{2,3}", ["0a", "fff"], ["0", "ffff", "0g"]),
    ("sk-(?:proj|ant)-\\w{1,2}", ["sk-proj-a", "sk-ant-_9"], ["sk--a", "sk-proj-", "sk-ant-a-"]),
    ("(a|bc)?d", ["d", "ad", "bcd"], ["abcd", "bd"]),
    ("(ab){2}", ["abab"], ["ab", "ababab"]),
    ("a\\.b\\\\", ["a.b\\"], ["axb\\"]),
    ("[a\\-\\]]{3}", ["a-]"], ["abc"]),
    ("[-a]{2}", ["-a"], ["b-"]),
    ("[a-]{2}", ["a-"], ["ab"]),
    ("[\\d_]", ["7", "_"], ["a"]),
    (".{2}", ["a~", "!!"], ["a ", "a\n", "é"]),
    ("a{0,2}b", ["b", "ab", "aab"], ["aaab"]),
    ("", [""], ["a"]),
  ]

  @Test("what fits, and what does not", arguments: rows)
  func matches(pattern: String, fits: [String], misses: [String]) throws {
    let pattern = try FormatPattern(pattern)
    for text in fits { #expect(pattern.matches(Array(text.utf8)), "\(text) should fit") }
    for text in misses { #expect(!pattern.matches(Array(text.utf8)), "\(text) should not fit") }
  }

  static let problems: [(pattern: String, offset: Int)] = [
    ("a*", 1), ("a+", 1), ("(a+)+", 2), ("(a", 2), ("a)", 1), ("((a))", 2), ("(?=a)", 2), ("[a", 2), ("[^a]", 1),
    ("[]", 1), ("[z-a]", 2), ("[A-\\d]", 2), ("a{", 2), ("a{2", 3), ("a{3,2}", 6), ("a{1,}", 4), ("a{4097}", 7),
    ("{2}", 0), ("\\", 1), ("\\b", 1), ("a|b", 1), ("^a", 0), ("a$", 1), ("a{2}{3}", 4), ("a{4096}b{4096}", 0),
    ("(?:a{4096}){4096}", 0), ("]", 0), ("é*", 2), ("(){4096}()", 0), ("(){2048}(){2049}", 0), ("(a||){1366}", 0),
    ("(a{0}){4096}b", 0), (String(repeating: "()", count: 4097), 0),
  ]

  @Test("everything outside the subset has a place", arguments: problems)
  func problem(pattern: String, offset: Int) {
    #expect { try FormatPattern(pattern) } throws: { error in
      guard let problem = error as? FormatPattern.Problem else { return false }
      return problem.offset == offset
    }
  }

  @Test("every fault occurs")
  func faults() {
    let found = Self.problems.compactMap { problem -> FormatPattern.Fault? in
      do throws(FormatPattern.Problem) {
        _ = try FormatPattern(problem.pattern)
        return nil
      } catch {
        return error.fault
      }
    }
    #expect(Set(found) == Set(FormatPattern.Fault.allCases))
  }

  @Test("a pattern has 4096 states at most, and may have as many", arguments: ["a{4096}", "(){4096}", "(a||){1365}"])
  func largest(pattern: String) throws {
    #expect(throws: Never.self) { try FormatPattern(pattern) }
  }

  @Test("a pattern never traps, whatever its bytes")
  func total() {
    var random = Seeded(seed: 3)
    let letters = Array("a[]-{}(),|?:\\w^19.é")
    for _ in 0..<5000 {
      let text = String((0..<random.below(12)).map { _ in letters[random.below(letters.count)] })
      let pattern = try? FormatPattern(text)
      #expect(pattern?.matches(Array("a1-".utf8)) != nil || pattern == nil)
    }
  }

  @Test("a pattern that hangs a backtracking engine is answered at once")
  func linear() throws {
    let pattern = try FormatPattern("(?:a|aa){0,100}b")
    #expect(!pattern.matches([UInt8](repeating: UInt8(ascii: "a"), count: 100)))
  }
}
