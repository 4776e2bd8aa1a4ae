import KeyplanCodecs

/// The syntax of recipients: age's, which are Bech32 (C2SP age.md), and SSH public keys (RFC 4253, section 6.6).
///
/// A mistyped age recipient would lock a user out, so the checksum (BIP 173) is verified here, where the location is known. An SSH key has no
/// checksum; its structure is verified.
enum RecipientSyntax {
  /// As the store records it, without an SSH key's comment. Nil if it is not a recipient.
  static func canonical(_ text: String) -> String? {
    if isAge(text) || isPlugin(text) { return text }
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, !text.utf8.contains(where: { $0 < 0x20 }), isSSHKey(parts[1], type: parts[0]) else {
      return nil
    }
    return "\(parts[0]) \(parts[1])"
  }

  /// Whether this word is public, and can be shown.
  static func isPublic(_ word: String) -> Bool {
    isAge(word) || isPlugin(word) || ["ssh-ed25519", "ssh-rsa"].contains { isSSHKey(word[...], type: $0[...]) }
  }

  /// The name in `age1NAME1…`: a plugin, or hardware that age supports without one; nil for other recipients. If it has the length of an
  /// X25519 recipient, it is more likely one with a mistyped l.
  static func plugin(in text: String) -> Substring? {
    guard text.utf8.count != 62 || isPlugin(text) else { return nil }
    return name(in: text).flatMap { $0 == "pq" ? nil : $0 }
  }

  private static func name(in text: String) -> Substring? {
    guard text.hasPrefix("age1"), let end = text.lastIndex(of: "1") else { return nil }
    let name = text[..<end].dropFirst(4)
    return name.isEmpty ? nil : name
  }

  /// Recipients that look like those of plugins, and are native ones of age.
  static let native: Set<Substring> = ["pq", "tag", "tagpq"]

  /// `age1NAME1…` (C2SP age-plugin.md), in lower case.
  private static func isPlugin(_ text: String) -> Bool {
    guard let name = name(in: text), !native.contains(name), text.utf8.count <= 4096 else { return false }
    let isAllowed = name.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-._".utf8.contains(byte)
    }
    return isAllowed && isBech32(text, "age1" + name)
  }

  private static func isAge(_ text: String) -> Bool {
    let size = text.utf8.count
    return size == 62 && isBech32(text, "age") || size == 1959 && isBech32(text, "age1pq")
  }

  private static func isBech32(_ text: String, _ prefix: String) -> Bool {
    let bytes = text.utf8
    guard bytes.count >= prefix.utf8.count + 7 else { return false }
    guard bytes.starts(with: (prefix + "1").utf8) else { return false }
    // The expanded prefix: the high bits of its letters, 0, and their low bits.
    var sum: UInt32 = 1
    for value in prefix.utf8.map({ $0 >> 5 }) + [0] + prefix.utf8.map({ $0 & 31 }) { sum = step(sum, UInt32(value)) }
    for byte in bytes.dropFirst(prefix.utf8.count + 1) {
      guard let value = alphabet.firstIndex(of: byte) else { return false }
      sum = step(sum, UInt32(value))
    }
    return sum == 1
  }

  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  private static func step(_ sum: UInt32, _ value: UInt32) -> UInt32 {
    let top = sum >> 25
    var next = (sum & 0x1FF_FFFF) << 5 ^ value
    for (bit, generator) in [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3].enumerated()
    where top >> UInt32(bit) & 1 == 1 { next ^= UInt32(generator) }
    return next
  }

  /// Whether the fields in the base64 are those of a public key of this type.
  private static func isSSHKey(_ text: Substring, type: Substring) -> Bool {
    guard text.utf8.starts(with: "AAAA".utf8), let wire = Base64.paddedBytes(in: text.utf8) else { return false }
    var rest = wire[...]
    var fields: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 4 + size else { return false }
      fields.append(rest.dropFirst(4).prefix(size))
      rest = rest.dropFirst(4 + size)
    }
    guard let first = fields.first, first.elementsEqual(type.utf8) else { return false }
    switch (type, fields.count) {
    case ("ssh-ed25519", 2): return fields[1].count == 32
    // The exponent, and a modulus of 2,048 to 16,384 bits with a zero before it.
    case ("ssh-rsa", 3): return (1...4).contains(fields[1].count) && (256...2049).contains(fields[2].count)
    default: return false
    }
  }
}
