import KeyplanSecrets

/// The output of `pizauth dump`, version 1: pizauth's accounts in bincode, encrypted.
enum PizauthDump {
  /// The tokens of all accounts that have one; nil if it is not a dump.
  static func tokens(inSealed bytes: UnsafeRawBufferPointer) throws(ImportedTokenError) -> [ImportedToken]? {
    guard let plain = PizauthSeal.open(bytes) else { return nil }
    return try plain.withBytes { plain throws(ImportedTokenError) in try tokens(in: plain) }
  }

  private static func tokens(in plain: UnsafeRawBufferPointer) throws(ImportedTokenError) -> [ImportedToken] {
    var reader = BincodeReader(plain)
    guard try reader.number(8) == 1 else { throw .dump }
    var tokens: [ImportedToken] = []
    for _ in 0..<(try reader.count()) {
      if let token = try account(&reader) { tokens.append(token) }
    }
    guard reader.isAtEnd else { throw .dump }
    return tokens
  }

  /// Parses `AccountDump` and `TokenStateDump`.
  private static func account(_ reader: inout BincodeReader) throws(ImportedTokenError) -> ImportedToken? {
    var names = [try reader.string()]
    _ = try reader.string()  // auth_uri
    for _ in 0..<(try reader.count()) {
      let (field, value) = (try reader.string(), try reader.string())
      if field == "login_hint" { names.append(value) }
    }
    let client = try reader.string()
    if try reader.isThere() { _ = try reader.bytes() }  // client_secret
    _ = try reader.string()  // redirect_uri
    for _ in 0..<(try reader.count()) { _ = try reader.string() }  // scopes
    let address = try reader.string()
    switch try reader.number(4) {
    case 0: return nil
    case 1:
      _ = try reader.bytes()  // access_token
      for _ in 0..<2 { _ = (try reader.number(8), try reader.number(4)) }  // obtained, expiry
      guard try reader.isThere() else { return nil }
      return ImportedToken(try reader.bytes(), client: client, address: address, names: names)
    default: throw .dump
    }
  }
}

/// bincode's legacy encoding: little-endian, fixed-size integers.
private struct BincodeReader {
  private let plain: UnsafeRawBufferPointer
  private var position = 0

  init(_ plain: UnsafeRawBufferPointer) { self.plain = plain }

  var isAtEnd: Bool { position == plain.count }

  mutating func number(_ size: Int) throws(ImportedTokenError) -> UInt64 {
    var number: UInt64 = 0
    for (shift, byte) in try take(size).enumerated() { number |= UInt64(byte) << UInt64(8 * shift) }
    return number
  }

  /// The number of following elements, each of which takes at least one byte.
  mutating func count() throws(ImportedTokenError) -> Int {
    guard let count = Int(exactly: try number(8)), count <= plain.count - position else { throw .dump }
    return count
  }

  mutating func bytes() throws(ImportedTokenError) -> UnsafeRawBufferPointer.SubSequence { try take(try count()) }

  mutating func string() throws(ImportedTokenError) -> String { String(decoding: try bytes(), as: UTF8.self) }

  /// Whether an optional value follows.
  mutating func isThere() throws(ImportedTokenError) -> Bool {
    switch try number(1) {
    case 0: return false
    case 1: return true
    default: throw .dump
    }
  }

  private mutating func take(_ count: Int) throws(ImportedTokenError) -> UnsafeRawBufferPointer.SubSequence {
    guard count <= plain.count - position else { throw .dump }
    defer { position += count }
    return plain[position..<position + count]
  }
}
