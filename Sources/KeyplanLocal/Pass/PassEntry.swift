import KeyplanPorts
import KeyplanSecrets

/// The decrypted content of an entry: a password in the first line, and lines `FIELD: VALUE` after it.
struct PassEntry: Redacted {
  let content: SecretBox

  /// - Parameter field: nil for the password.
  func answer(to field: String?) -> SourceAnswer {
    content.withBytes { bytes in
      var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
      let first = lines.popFirst() ?? bytes[..<0]
      guard let field else { return Self.answer(first) }
      for line in lines {
        guard line.starts(with: field.utf8) else { continue }
        let rest = line.dropFirst(field.utf8.count)
        guard rest.first == UInt8(ascii: ":") else { continue }
        return Self.answer(rest.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
      }
      return .missing()
    }
  }

  private static func answer(_ line: Slice<UnsafeRawBufferPointer>) -> SourceAnswer {
    let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return SourceAnswer(SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: text))))
  }
}
