import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The standard input of a `command` target: `{"set": {NAME: VALUE}, "remove": [NAME]}` (RFC 8259).
struct CommandInput {
  private let changes: TargetChanges

  init(_ changes: TargetChanges) { self.changes = changes }

  /// The changes that a command can be given, and the reasons that the others cannot.
  static func separate(_ changes: TargetChanges) -> (TargetChanges, refused: [String: WriteResult]) {
    let refused = Set(changes.set.filter { _, value in value.withBytes { $0.contains(0) || !isUTF8($0) } }.map(\.name))
    guard !refused.isEmpty else { return (changes, [:]) }
    let left = TargetChanges(
      set: changes.set.filter { !refused.contains($0.name) }, remove: changes.remove, mode: changes.mode,
      expected: changes.expected, takesOver: changes.takesOver)
    let failures = refused.map { name in
      let reason = "The value of \"\(name)\" cannot be given to a command: it is not UTF-8, or contains a NUL byte."
      return (name, WriteResult.refused(AccessFailure(.unreadable, reason)))
    }
    return (left, Dictionary(uniqueKeysWithValues: failures))
  }

  /// - Precondition: all values are text.
  var json: SecretBox {
    var text: [UInt8] = []
    // Six bytes for each, so that no copy of a secret remains in an outgrown buffer.
    text.reserveCapacity(64 + 6 * changes.set.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 6 })
    text += #"{"set":{"#.utf8
    for (index, (name, value)) in changes.set.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      Self.write(name.utf8, to: &text)
      text.append(UInt8(ascii: ":"))
      value.withBytes { Self.write($0, to: &text) }
    }
    text += #"},"remove":["#.utf8
    for (index, name) in changes.remove.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      Self.write(name.utf8, to: &text)
    }
    text += "]}\n".utf8
    return SecretBox(text)
  }

  private static func write(_ string: some Sequence<UInt8>, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        text += "\\u00".utf8
        text += [hexadecimal(byte >> 4), hexadecimal(byte & 15)]
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }

  static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var (decoder, iterator) = (UTF8(), bytes.makeIterator())
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue: continue
      case .emptyInput: return true
      case .error: return false
      }
    }
  }
}
