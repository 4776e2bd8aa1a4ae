/// The line break at the end of a text: LF or CR LF.
///
/// An editor or `echo` adds one to a single line, and no program expects it in a password. To several lines, such as a key in PEM, it
/// belongs: OpenSSH does not read a key without it. Places that drop or add it there have the same value all the same.
extension UnsafeRawBufferPointer {
  /// The value that a file or the output of a program with these bytes is: a single line without its line break, or several lines as they
  /// are.
  package var lineOrLines: UnsafeRawBufferPointer {
    endsWithLineBreak && !hasSeveralLines ? withoutLastLineBreak : self
  }

  /// The bytes of a value that are compared: several lines without the last line break, or a single line unchanged.
  package var compared: UnsafeRawBufferPointer { endsWithLineBreak && hasSeveralLines ? withoutLastLineBreak : self }

  /// Whether there is a line break between other bytes.
  package var hasSeveralLines: Bool {
    let end = lastIndex { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") } ?? startIndex
    return self[..<end].contains(UInt8(ascii: "\n"))
  }

  private var endsWithLineBreak: Bool { last == UInt8(ascii: "\n") }

  private var withoutLastLineBreak: UnsafeRawBufferPointer {
    let rest = self[..<(endIndex - 1)]
    return UnsafeRawBufferPointer(rebasing: rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest)
  }
}

extension SecretBox {
  /// The value that a file with these bytes is.
  package convenience init(lineOrLines bytes: consuming [UInt8]) {
    bytes.removeLast(bytes.count - bytes.withUnsafeBytes { $0.lineOrLines.count })
    self.init(bytes)
  }

  /// Whether it is the same value, with or without a line break at the end of several lines. Takes as long as `equals`.
  package func isSameValue(as other: SecretBox) -> Bool {
    withBytes { bytes in
      other.withBytes { other in
        let (one, two) = (bytes.compared, other.compared)
        guard one.count == two.count else { return false }
        return zip(one, two).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
      }
    }
  }
}
