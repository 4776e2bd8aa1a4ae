import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanAge

@Suite("Age files")
struct FileTests {
  static let chunkEdges = [0, 1, 47, 48, 49, 65535, 65536, 65537, 131071, 131072, 131073]

  @Test("what is encrypted is decrypted, at every edge of a chunk, binary and armored", arguments: chunkEdges)
  func roundTrip(size: Int) throws {
    let plaintext = Seeded.bytes(size, seed: UInt64(size))
    let identity = Identity.generate()
    for armored in [false, true] {
      let file = try Age.encrypt(Secret(plaintext), to: [identity.recipient], armored: armored)
      #expect(bytes(of: try Age.decrypt(file, with: [identity])) == plaintext)
    }
    let file = try Age.encrypt(Secret(plaintext), to: [identity.recipient])
    let header = 22 + 10 + 43 + 1 + 43 + 1 + 4 + 43 + 1
    #expect(file.count == header + 16 + size + 16 * max(1, (size + 65535) / 65536))
  }

  @Test("each recipient opens the file alone, with others' identities before his; nobody else opens it")
  func severalRecipients() throws {
    let identities = (0..<3).map { _ in Identity.generate() }
    let file = try Age.encrypt(Secret([1, 2, 3]), to: identities.map(\.recipient))
    for identity in identities {
      #expect(bytes(of: try Age.decrypt(file, with: [Identity.generate(), identity])) == [1, 2, 3])
    }
    expect(.noMatch, from: file, [Identity.generate()])
    expect(.noMatch, from: file, [])
  }

  @Test("two encryptions of the same text share no key, nonce or share")
  func fresh() throws {
    let identity = Identity.generate()
    let one = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient])
    let two = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient])
    #expect(one[32..<75] != two[32..<75], "shares")
    #expect(one[76..<119] != two[76..<119], "wrapped file keys")
    #expect(one.suffix(35).prefix(16) != two.suffix(35).prefix(16), "nonces")
    #expect(one.suffix(19) != two.suffix(19), "payloads")
  }

  @Test("encrypting to nobody, or to more than a reader accepts, is refused")
  func recipientCount() throws {
    let identity = Identity.generate()
    #expect(throws: AgeError.noRecipients) { try Age.encrypt(Secret([1]), to: []) }
    let crowd = [AgeRecipient](repeating: Identity.generate().recipient, count: 1024)
    #expect(throws: AgeError.tooManyRecipients) { try Age.encrypt(Secret([1]), to: crowd + [identity.recipient]) }
    let file = try Age.encrypt(Secret([1]), to: crowd.dropLast() + [identity.recipient])
    #expect(bytes(of: try Age.decrypt(file, with: [identity])) == [1])
  }

  @Test("a small file cut anywhere is refused, armored too")
  func truncated() throws {
    let identity = Identity.generate()
    let file = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient])
    for end in 0..<file.count { expectRefusal(of: Array(file[..<end]), identity, "cut at \(end)") }
    let armored = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient], armored: true)
    // The line feed behind the last line is white space, which may be there or not.
    for end in 0..<(armored.count - 1) { expectRefusal(of: Array(armored[..<end]), identity, "armor cut at \(end)") }
  }

  @Test("a small file with any one bit flipped is refused, and so is one with a byte more")
  func flipped() throws {
    let identity = Identity.generate()
    let file = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient])
    for bit in 0..<(file.count * 8) {
      var changed = file
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      expectRefusal(of: changed, identity, "bit \(bit)")
    }
    expectRefusal(of: file + [0], identity, "a byte behind")
  }

  @Test("an armored file with any one bit flipped gives its text or nothing, never another")
  func flippedArmor() throws {
    let identity = Identity.generate()
    let file = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient], armored: true)
    var accepted: [Int] = []
    for bit in 0..<(file.count * 8) {
      var changed = file
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      if let plaintext = try? bytes(of: Age.decrypt(changed, with: [identity])) {
        #expect(plaintext == [1, 2, 3], "bit \(bit)")
        accepted.append(bit / 8)
      }
    }
    // Only the last line's end may become other white space.
    #expect(accepted.allSatisfy { $0 == file.count - 1 })
  }

  @Test("chunks swapped, dropped or repeated are refused")
  func chunks() throws {
    let identity = Identity.generate()
    let file = try Age.encrypt(Secret([UInt8](repeating: 7, count: 3 * 65536)), to: [identity.recipient])
    let sealed = 65536 + 16
    let (head, all) = (Array(file.dropLast(3 * sealed)), Array(file.suffix(3 * sealed)))
    let chunks = (0..<3).map { Array(all[($0 * sealed)..<(($0 + 1) * sealed)]) }
    #expect(bytes(of: try Age.decrypt(head + chunks.joined(), with: [identity])).count == 3 * 65536)
    for order in [[1, 0, 2], [0, 2], [2], [0, 1], [0, 1, 1, 2], [0, 1, 2, 2], [2, 1, 0]] {
      expect(.payload(.notAuthentic), from: head + order.flatMap { chunks[$0] }, [identity])
    }
  }

  @Test("an empty last chunk behind a full one is refused though its maker knew the key")
  func emptyLastChunk() throws {
    let identity = Identity.generate()
    let fileKey = FileKey.generate()
    let stanza = try identity.recipient.stanza(wrapping: fileKey)
    let nonce = [UInt8](repeating: 5, count: 16)
    let key = fileKey.payloadKey(nonce: nonce)
    var file = Header.text(of: [stanza], under: fileKey) + nonce
    try [UInt8](repeating: 7, count: 65536).withUnsafeBytes {
      try ChaCha.append($0, under: key, nonce: [UInt8](repeating: 0, count: 12), to: &file)
    }
    let last = [UInt8](repeating: 0, count: 10) + [1, 1]
    try ChaCha.append(UnsafeRawBufferPointer(start: nil, count: 0), under: key, nonce: last, to: &file)
    expect(.payload(.emptyLastChunk), from: file, [identity])
  }

  @Test("an armor of the same data in other lines is refused")
  func armorLines() throws {
    let identity = Identity.generate()
    let armored = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient], armored: true)
    let lines = armored.split(separator: 0x0A).map(Array.init)
    let data = Array(lines[1..<(lines.count - 1)].joined())
    func rewrapped(_ columns: Int) -> [UInt8] {
      let wrapped = stride(from: 0, to: data.count, by: columns).map { data[$0..<min($0 + columns, data.count)] }
      return ([lines[0][...]] + wrapped + [lines[lines.count - 1][...]]).flatMap { $0 + [0x0A] }
    }
    #expect(rewrapped(64) == armored)
    expect(.armor(.line, line: 3), from: rewrapped(60), [identity])
    expect(.armor(.line, line: 2), from: rewrapped(68), [identity])
    // A padded line of full width ends the data, too.
    let padded = Array(repeating: UInt8(ascii: "A"), count: 62) + Array("==\n".utf8)
    expect(
      .armor(.line, line: 3), from: lines[0] + [0x0A] + padded + armored.drop { $0 != 0x0A }.dropFirst(), [identity])
  }

  @Test("white space around an armor is allowed, and text is not")
  func armorSurroundings() throws {
    let identity = Identity.generate()
    let armored = try Age.encrypt(Secret([1, 2, 3]), to: [identity.recipient], armored: true)
    let spaced = Array("\n \t\r\n".utf8) + armored + Array("\r\n\n  ".utf8)
    #expect(bytes(of: try Age.decrypt(spaced, with: [identity])) == [1, 2, 3])
    expect(.armor(.begin, line: 1), from: Array("hello\n".utf8) + armored, [identity])
    let lines = armored.filter { $0 == 0x0A }.count
    expect(.armor(.trailing, line: lines + 1), from: armored + Array("hello".utf8), [identity])
    expect(.armor(.trailing, line: lines + 1), from: armored + armored, [identity])
  }

  @Test("a header that would cost too much to try is refused before any key is touched")
  func limits() throws {
    let identity = Identity.generate()
    let version = Array("age-encryption.org/v1\n".utf8)
    let stanzas = [[UInt8]](repeating: Array("-> other\n\n".utf8), count: 1025).flatMap(\.self)
    expect(.header(.tooManyStanzas, line: 2 + 2 * 1024), from: version + stanzas, [identity])
    let endless = [UInt8](repeating: UInt8(ascii: "-"), count: 2 << 20)
    expect(.header(.tooLong, line: 2), from: version + endless, [identity])
    let arguments = Array("-> a".utf8) + [[UInt8]](repeating: Array(" b".utf8), count: 1 << 20).flatMap(\.self)
    expect(.header(.tooLong, line: 2), from: version + arguments, [identity])
    expect(.header(.noStanza, line: 2), from: version + Array("--- AAAA\n".utf8), [identity])
    expect(.header(.notAge, line: 1), from: Array("PK\u{3}\u{4}".utf8), [identity])
  }

  private func expect(
    _ error: AgeError, from file: [UInt8], _ identities: [Identity], at place: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: error, sourceLocation: place) { bytes(of: try Age.decrypt(file, with: identities)) }
  }

  private func expectRefusal(
    of file: [UInt8], _ identity: Identity, _ what: String, at place: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: AgeError.self, "\(what)", sourceLocation: place) {
      bytes(of: try Age.decrypt(file, with: [identity]))
    }
  }
}
