import Foundation
import Testing

/// A secret that is looked for, in every form in which a program could let it slip.
struct CanarySecret: Hashable {
  let name: String
  let bytes: [UInt8]

  init(_ name: String, _ text: String) { (self.name, bytes) = (name, Array(text.utf8)) }

  /// Forms by their names. Short ones that could stand anywhere are left out.
  func needles(withDigests: Bool = true) throws -> [(form: String, bytes: [UInt8])] {
    let text = String(decoding: bytes, as: UTF8.self)
    var forms: [(String, [UInt8])] = [
      ("plain", bytes), ("reversed", bytes.reversed()),
      ("first 8", Array(bytes.prefix(8))), ("last 8", Array(bytes.suffix(8))),
      ("hex", Array(Self.hex(bytes).utf8)), ("HEX", Array(Self.hex(bytes).uppercased().utf8)),
      ("UTF-16LE", text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }),
      ("UTF-16BE", text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }),
    ]
    for alignment in 0..<3 {
      let encoded = Self.base64(bytes, after: alignment)
      forms.append(("base64+\(alignment)", encoded))
      forms.append(("base64url+\(alignment)", encoded.map { $0 == 0x2b ? 0x2d : $0 == 0x2f ? 0x5f : $0 }))
    }
    for (name, set) in [("URL", Self.unreserved), ("URL, each", CharacterSet())] {
      let escaped = text.addingPercentEncoding(withAllowedCharacters: set) ?? ""
      forms.append((name, Array(escaped.utf8)))
      forms.append((name + ", lower", Array(escaped.replacing(/%../) { $0.output.lowercased() }.utf8)))
      forms.append((name + ", plus", Array(escaped.replacing("%20", with: "+").utf8)))
    }
    for options in [JSONEncoder.OutputFormatting(), .withoutEscapingSlashes] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = options
      forms.append(("JSON", Array(try encoder.encode([text]).dropFirst(2).dropLast(2))))
    }
    let ascii = text.utf16.map { unit in
      unit < 0x80 ? [UInt8(unit)] : Array("\\u".utf8) + Array(String(Int(unit) + 0x10000, radix: 16).utf8.suffix(4))
    }
    forms.append(("JSON, ASCII", Array(ascii.joined())))
    for ending in withDigests ? ["", "\n"] : [] {
      for (tool, digest) in try Self.digests(of: bytes + Array(ending.utf8)) {
        forms += [(tool, digest), (tool + " in hex", Array(Self.hex(digest).utf8))]
        forms += [(tool + " in HEX", Array(Self.hex(digest).uppercased().utf8))]
        forms.append((tool + " in base64", Self.base64(digest, after: 0)))
      }
    }
    return forms.filter { $0.1.count >= 8 }
  }

  static let forms = [
    "plain", "reversed", "first 8", "last 8", "hex", "HEX", "UTF-16LE", "UTF-16BE", "base64+0", "base64+1", "base64+2",
    "base64url+0", "base64url+1", "base64url+2", "URL", "JSON", "JSON, ASCII", "md5sum", "sha1sum", "sha256sum",
    "md5sum in hex", "sha1sum in base64", "sha256sum in HEX",
  ]

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(Int($0) + 0x100, radix: 16).suffix(2) }.joined()
  }

  /// What of the base64 does not depend on what stands before and behind.
  private static func base64(_ bytes: [UInt8], after alignment: Int) -> [UInt8] {
    let all = Array(Data([UInt8](repeating: 0, count: alignment) + bytes).base64EncodedString().utf8)
    return Array(all[(alignment * 8 + 5) / 6..<(alignment + bytes.count) * 8 / 6])
  }

  /// Without a key, whoever guesses the secret can check his guess.
  private static func digests(of bytes: [UInt8]) throws -> [(String, [UInt8])] {
    let sandbox = try ProgramSandbox()
    try sandbox.write(bytes, to: "secret")
    return try ["md5sum", "sha1sum", "sha256sum"].map { tool in
      let answer = try sandbox.start([tool, "secret"]).wait()
      try #require(answer.code == 0, "\(tool): \(answer.err)")
      let digits = Array(answer.out.prefix { $0 != " " }.utf8)
      let pairs = stride(from: 0, to: digits.count, by: 2).map { String(decoding: digits[$0..<$0 + 2], as: UTF8.self) }
      return (tool, pairs.compactMap { UInt8($0, radix: 16) })
    }
  }
}

/// Looks for all secrets in all forms at once.
struct CanarySearch {
  private var needles: [(secret: String, form: String, bytes: [UInt8])] = []
  /// Needles by their first eight bytes, and which of those can be there at all: one pass finds them all.
  private var beginnings: [UInt64: [Int]] = [:]
  private var mayBegin = [Bool](repeating: false, count: 1 << 16)

  init(_ secrets: [CanarySecret]) throws {
    for secret in secrets { for needle in try secret.needles() { add(secret.name, needle.form, needle.bytes) } }
  }

  /// With secrets that are known only now; their unkeyed digests are not looked for.
  func adding(_ secrets: [CanarySecret]) throws -> CanarySearch {
    var search = self
    for secret in secrets {
      for needle in try secret.needles(withDigests: false) { search.add(secret.name, needle.form, needle.bytes) }
    }
    return search
  }

  private mutating func add(_ secret: String, _ form: String, _ bytes: [UInt8]) {
    let word = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    beginnings[word, default: []].append(needles.count)
    mayBegin[Self.slot(word)] = true
    needles.append((secret, form, bytes))
  }

  private static func slot(_ word: UInt64) -> Int { Int((word &* 0x9e37_79b9_7f4a_7c15) >> 48) }

  /// What is found, as `SECRET FORM`, but for the secrets that may be there.
  func found(in bytes: some ContiguousBytes, allowing allowed: Set<String> = []) -> [String] {
    if allowed.contains("*") { return [] }
    var found: Set<Int> = []
    bytes.withUnsafeBytes { bytes in
      guard bytes.count >= 8 else { return }
      mayBegin.withUnsafeBufferPointer { mayBegin in
        var place = 0
        while place <= bytes.count &- 8 {
          let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
          if mayBegin[Self.slot(word)] {
            for index in beginnings[word] ?? [] where bytes[place...].starts(with: needles[index].bytes) {
              found.insert(index)
            }
          }
          place &+= 1
        }
      }
    }
    return Set(
      found.filter { !allowed.contains(needles[$0].secret) }.map { "\(needles[$0].secret) \(needles[$0].form)" }
    )
    .sorted()
  }
}
