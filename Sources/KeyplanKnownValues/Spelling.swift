internal import KeyplanJSON
package import KeyplanSecrets

/// One way in which a value can appear in a text.
package struct Spelling: Sendable {
  /// The form in which the value appears.
  package enum Form: Hashable, Sendable {
    case literal
    /// One line of a value of several lines, without the white space around it.
    case line
    /// The content of a string in a value that is JSON.
    case member
    /// Base64 in either alphabet, as far as it is the same whatever precedes and follows the value.
    case base64
    case hexadecimal
    /// With percent signs, as in an address.
    case url
    /// As the content of a JSON string.
    case json
    /// As a shell shows it, with `'\''` or with backslashes.
    case shell

    /// Whether it is made of the value, and not a text in it.
    package var isEncoding: Bool {
      switch self {
      case .literal, .line, .member: false
      case .base64, .hexadecimal, .url, .json, .shell: true
      }
    }
  }

  package let form: Form
  package let text: SecretBox
}

/// The spellings of one value, each once: first those that are texts in it, then their encodings.
package struct Spellings: Sendable {
  package private(set) var all: [Spelling] = []
  /// The number of spellings that the limit leaves out.
  package var omitted: Int { leftOut.count }
  private let limits: KnownValueLimits
  private var known: [Int: [Int]] = [:]
  /// The hashes of those that are left out.
  private var leftOut: Set<Int> = []

  /// None if the value is shorter than the limits allow.
  package init(of value: SecretBox, within limits: KnownValueLimits) {
    self.limits = limits
    guard value.count >= limits.shortest else { return }
    add(value, as: .literal)
    addLines(of: value)
    // A document has thousands of encodings of its texts: they must not leave out a text.
    let members = members(of: value)
    for member in members { add(member, as: .member) }
    for member in members { addLines(of: member) }
    addEncodings(of: value)
    for member in members { addEncodings(of: member) }
  }

  private mutating func addEncodings(of value: SecretBox) {
    value.withBytes { bytes in
      for text in Base64Spelling.texts(of: bytes) { add(text, as: .base64) }
      for text in HexSpelling.texts(of: bytes) { add(text, as: .hexadecimal) }
      for text in EscapedSpelling.urls(of: bytes) { add(text, as: .url) }
      for text in EscapedSpelling.jsonStrings(of: bytes) { add(text, as: .json) }
      for text in EscapedSpelling.shellWords(of: bytes) { add(text, as: .shell) }
    }
  }

  private mutating func addLines(of value: SecretBox) {
    value.withBytes { bytes in
      guard bytes.contains(UInt8(ascii: "\n")) else { return }
      for line in bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
        let line = line.trimmed
        // Lines that many texts have: braces, and the boundaries of PEM.
        guard line.count(where: \.isWordByte) >= limits.shortest, !line.starts(with: "-----".utf8) else { continue }
        add(SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: line))), as: .line)
      }
    }
  }

  /// Programs print strings that they read out of JSON: keys in PEM with real line breaks.
  private func members(of value: SecretBox) -> [SecretBox] {
    let first = value.withBytes { $0.first { !$0.isBlank } }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let document = JSONAnswer(value) else { return [] }
    var members: [SecretBox] = []
    var open = [document.root]
    while let node = open.popLast() {
      switch node.content {
      case .string:
        guard let text = document.secret(node), text.count >= limits.shortest else { continue }
        members.append(text)
      case .array(let elements): open += elements
      case .object(let fields): open += fields.map(\.value)
      case .null, .bool, .number: continue
      }
    }
    return members
  }

  private mutating func add(_ text: SecretBox, as form: Spelling.Form) {
    guard text.count >= limits.shortest else { return }
    let hash = text.withBytes { bytes in
      var hasher = Hasher()
      hasher.combine(bytes: bytes)
      return hasher.finalize()
    }
    guard !known[hash, default: []].contains(where: { all[$0].text.equals(text) }) else { return }
    guard all.count < limits.spellings else {
      leftOut.insert(hash)
      return
    }
    known[hash, default: []].append(all.count)
    all.append(Spelling(form: form, text: text))
  }
}

extension Slice<UnsafeRawBufferPointer> {
  fileprivate var trimmed: Self {
    var rest = self
    while rest.first?.isBlank == true { rest.removeFirst() }
    while rest.last?.isBlank == true { rest.removeLast() }
    return rest
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

  /// A letter, a digit or a byte of a character beyond ASCII.
  fileprivate var isWordByte: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self >= 0x80
  }
}
