import KeyplanModel

/// Reads what `ByteWriter` wrote. The input is authenticated, so an error is one of the writer; still everything is
/// validated.
struct ByteReader {
  private let bytes: [UInt8]
  private var index = 0
  /// The end of the current field.
  private var limit: Int

  /// The bytes do not have the expected format.
  struct Malformed: Error {}

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    limit = bytes.count
  }

  mutating func byte() throws(Malformed) -> UInt8 {
    guard index < limit else { throw Malformed() }
    index += 1
    return bytes[index - 1]
  }

  mutating func raw(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count >= 0, count <= limit - index else { throw Malformed() }
    index += count
    return bytes[index - count..<index]
  }

  mutating func unsigned() throws(Malformed) -> UInt64 {
    var result: UInt64 = 0
    for shift: UInt64 in stride(from: 0, to: 64, by: 7) {
      let next = try byte()
      result |= UInt64(next & 0x7f) << shift
      if next & 0x80 == 0 { return result }
    }
    throw Malformed()
  }

  mutating func number() throws(Malformed) -> Int64 {
    let zigzag = try unsigned()
    return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
  }

  mutating func moment() throws(Malformed) -> Moment { Moment(seconds: try number()) }

  mutating func text() throws(Malformed) -> String { String(decoding: try raw(try count()), as: UTF8.self) }

  mutating func fingerprint() throws(Malformed) -> Fingerprint {
    guard let fingerprint = try raw(16).withUnsafeBytes({ Fingerprint($0) }) else { throw Malformed() }
    return fingerprint
  }

  mutating func choice<Choice: RawRepresentable<String>>() throws(Malformed) -> Choice {
    guard let choice = Choice(rawValue: try text()) else { throw Malformed() }
    return choice
  }

  /// Reads numbered, length-prefixed fields up to the end.
  /// - Parameters:
  ///   - lists: a bit for each number that may occur several times.
  ///   - read: reads one field; returns false for an unknown one.
  /// - Returns: the unknown fields, unchanged.
  /// - Throws: for an unknown field with an odd number, which changes the meaning of the others.
  mutating func fields(
    lists: UInt64 = 0, _ read: (inout ByteReader, UInt64) throws(Malformed) -> Bool
  ) throws(Malformed) -> [UInt8] {
    var unknown: [UInt8] = []
    var last: UInt64 = 0
    let end = limit
    while index < end {
      let start = index
      let number = try unsigned()
      let isRepeated = number == last
      guard number >= last, number > 0 else { throw Malformed() }
      last = number
      let length = try count()
      limit = index + length
      if try read(&self, number) {
        guard isAtEnd, !isRepeated || lists >> number & 1 == 1 else { throw Malformed() }
      } else {
        guard number % 2 == 0 else { throw Malformed() }
        unknown += bytes[start..<limit]
        index = limit
      }
      limit = end
    }
    return unknown
  }

  /// The rest of a field as text.
  mutating func rest() throws(Malformed) -> String { String(decoding: try raw(limit - index), as: UTF8.self) }

  /// The rest of a field as an identifier.
  mutating func name<Thing>() throws(Malformed) -> Identifier<Thing> {
    guard let identifier = Identifier<Thing>(try rest()) else { throw Malformed() }
    return identifier
  }

  /// The rest of a field as one of several keywords.
  mutating func value<Choice: RawRepresentable<String>>() throws(Malformed) -> Choice {
    guard let choice = Choice(rawValue: try rest()) else { throw Malformed() }
    return choice
  }

  /// A length-prefixed text, then the rest of the field as another one.
  mutating func pair() throws(Malformed) -> (String, String) { (try text(), try rest()) }

  /// Whether all of the current field, or of the input, has been read.
  var isAtEnd: Bool { index == limit }

  // A length is never larger than the number of remaining bytes.
  private mutating func count() throws(Malformed) -> Int {
    guard let count = Int(exactly: try unsigned()), count <= limit - index else { throw Malformed() }
    return count
  }
}
