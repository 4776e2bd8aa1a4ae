import KeyplanModel
import KeyplanOperations
import KeyplanReporting
import KeyplanSecrets
import Testing

/// Requests and answers as texts.
extension SecretBox {
  convenience init(text: String) { self.init(Array(text.utf8)) }

  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension HelperCredential {
  init(text: String, until end: Moment? = nil) throws { try self.init(SecretBox(text: text), of: "token", until: end) }
}

/// The error of a call; nil where there is none.
func helperFailure(_ work: () throws -> Void) -> Failure? {
  do {
    try work()
    return nil
  } catch {
    return error as? Failure
  }
}

func helperHost(_ text: String = "git.example.com") throws -> HelperHost { try #require(HelperHost(text)) }

@Suite struct HelperCredentialTests {
  @Test(
    "a value that could be more than one line is an error that does not quote it",
    arguments: ["abc\nhost=evil", "abc\n", "abc\r\n", "abc\rX-Evil: 1", "abc\0", "\n", ""])
  func refused(value: String) {
    let failure = helperFailure { _ = try HelperCredential(text: value) }
    #expect(failure?.status == .failed && failure?.detail.contains("\"token\"") == true)
    #expect(failure.map { "\($0)".contains("abc") } == false)
  }

  @Test("a value that is not text is an error, as JSON cannot have it")
  func bytes() {
    let failure = helperFailure { _ = try HelperCredential(SecretBox([0x61, 0xFF]), of: "token") }
    #expect(failure?.detail.contains("UTF-8") == true)
  }

  @Test("shows nothing")
  func redacted() throws { #expect(!"\(try HelperCredential(text: "abcdef"))".contains("abcdef")) }
}
