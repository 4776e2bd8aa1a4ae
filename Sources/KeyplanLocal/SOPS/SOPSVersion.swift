/// A version of SOPS, as the metadata of a file has it: `3.13.2`.
struct SOPSVersion: Sendable {
  private let parts: [Int]

  /// A part ends where its number does, so that `3.14.0-rc.1` is like 3.14.0.
  init(_ text: [UInt8]) {
    parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).prefix(3).map { part in
      Int(String(decoding: part.prefix { (0x30...0x39).contains($0) }, as: UTF8.self)) ?? 0
    }
  }

  /// Whether whole numbers in JSON that fit into 64 bits are authenticated exactly; before 3.13.2, those over 2^53 lost
  /// digits.
  var keepsIntegers: Bool { !parts.lexicographicallyPrecedes([3, 13, 2]) }
}
