internal import KeyplanJSON
internal import KeyplanModel
package import KeyplanReporting
internal import KeyplanSecrets

/// The command line with which a program starts a helper, for its configuration.
package struct HelperLine: Sendable {
  package let words: [String]

  /// - Throws: wrong usage for words with control characters, which not every configuration can have.
  package init(_ words: [String]) throws(Failure) {
    for word in words { try HelperOption.check(word, "An argument") }
    self.words = words
  }

  /// For a shell, and for programs that split words as one does.
  package var shell: String { words.map(ShellWord.quoted).joined(separator: " ") }

  /// A script that runs it with the program's own arguments. They come after `--`: a name from a repository or an index must not become an
  /// option of the helper.
  var script: String { "#!/bin/sh\nexec \(shell) -- \"$@\"\n" }

  /// A text as a JSON string, which is also valid in YAML.
  static func json(_ text: String) -> String {
    JSONBody.text(text).bytes().withBytes { String(decoding: $0, as: UTF8.self) }
  }
}

/// The options of helpers.
package enum HelperOption {
  /// - Throws: wrong usage for an empty text and for one with control characters.
  package static func check(_ text: String, _ option: String) throws(Failure) {
    guard !text.isEmpty, !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw Failure(
        .usage, "Invalid option", "\(option) is empty or contains a control character.", hint: "Write it as one line.")
    }
  }

  package static func host(_ text: String) throws(Failure) -> HelperHost {
    guard let host = HelperHost(text) else {
      throw Failure(
        .usage, "Invalid --host", "--host takes the name of one host, with its port where URLs have one.",
        hint: "--host github.com, or --host git.example.com:8443")
    }
    return host
  }
}
