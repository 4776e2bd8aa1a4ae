import FoundationEssentials
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The JSON text of a backup, written and read record by record: a store can be large, and a crafted file can require much more memory
/// than it has bytes. Other readers need none of this: docs/backup.md describes the whole object.
enum BackupText {
  /// The text before a backup's MAC, which has 64 digits, and after it.
  private static let (mark, end) = (#","mac":""#, "\"}\n")
  private static let list = #""records":["#
  /// Everything but the records.
  private static let frameLimit = 1 << 16
  /// More than a record with all of its versions has.
  private static let memberLimit = 10_000

  // MARK: Writing

  /// - Parameters:
  ///   - frame: without records.
  ///   - records: their texts, which are wiped.
  ///   - authenticate: the MAC of the bytes before its mark.
  static func write(
    _ frame: BackupContent, _ records: consuming [[UInt8]],
    authenticate: (UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]
  ) throws(StoreError) -> Secret {
    var frame = try encode(frame)
    defer { frame.withUnsafeMutableBytes { zero($0) } }
    guard frame.popLast() == UInt8(ascii: "}"), let start = position(of: list, in: frame) else { throw unwritable }
    let count = frame.count + records.reduce(max(0, records.count - 1)) { $0 + $1.count }
    return try Secret(count: count + mark.utf8.count + 64 + end.utf8.count) { memory throws(StoreError) in
      var filled = 0
      func append(_ bytes: some Collection<UInt8>) {
        UnsafeMutableRawBufferPointer(rebasing: memory[filled..<filled + bytes.count]).copyBytes(from: bytes)
        filled += bytes.count
      }
      append(frame[..<start])
      for index in records.indices {
        if index > 0 { append(CollectionOfOne(UInt8(ascii: ","))) }
        append(records[index])
        records[index].withUnsafeMutableBytes { zero($0) }
        records[index] = []
      }
      append(frame[start...])
      let code = try authenticate(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      append(Array("\(mark)\(code.hexadecimal)\(end)".utf8))
    }
  }

  static func encode(_ value: some Encodable) throws(StoreError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let text = try? encoder.encode(value) else { throw unwritable }
    return [UInt8](text)
  }

  private static let unwritable = StoreError(.io, "The backup cannot be encoded.")

  // MARK: Reading

  /// The frame without its records, which are read afterwards one by one.
  struct Reader {
    let frame: BackupContent
    private let text: UnsafeRawBufferPointer
    private let decoder = JSONDecoder()
    private var next: Int

    /// Nil for anything that keyplan does not write.
    init?(_ text: UnsafeRawBufferPointer) {
      let tail = mark.utf8.count + 64 + end.utf8.count
      guard text.count > tail, let start = position(of: list, in: text.prefix(frameLimit)),
        let stop = Self.endOfList(in: text, from: start), text.count - stop < frameLimit
      else { return nil }
      self.text = text
      next = start
      let rest = Array(text[..<start]) + Array(text[stop...])
      guard let frame = try? JSONDecoder().decode(BackupContent.self, from: Data(rest)) else { return nil }
      self.frame = frame
    }

    /// The digits of the MAC.
    var code: String { String(decoding: text.suffix(64 + end.utf8.count).prefix(64), as: UTF8.self) }

    /// Whether the text ends with the MAC of everything before it.
    func isAuthentic(_ authenticate: (UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]) throws(StoreError) -> Bool
    {
      let before = text.count - mark.utf8.count - 64 - end.utf8.count
      let code = try authenticate(UnsafeRawBufferPointer(rebasing: text[..<before]))
      return isEqual(Array(text[before...]), Array("\(mark)\(code.hexadecimal)\(end)".utf8))
    }

    /// The next record; nil after the last one.
    /// - Throws: `tampered`.
    mutating func record() throws(StoreError) -> BackupContent.Record? {
      if text[next] == UInt8(ascii: "]") { return nil }
      guard let stop = Self.endOfObject(in: text, from: next), let start = text.baseAddress?.advanced(by: next) else {
        throw StoreBackup.damaged
      }
      // Not copied: one record can be nearly all of the text.
      let object = Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: stop - next, deallocator: .none)
      guard let record = try? decoder.decode(BackupContent.Record.self, from: object) else {
        throw StoreBackup.damaged
      }
      next = text[stop] == UInt8(ascii: ",") ? stop + 1 : stop
      return record
    }

    private static func endOfList(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
      var index = start
      guard index < text.count else { return nil }
      if text[index] == UInt8(ascii: "]") { return index }
      while let stop = endOfObject(in: text, from: index), stop < text.count {
        switch text[stop] {
        case UInt8(ascii: ","): index = stop + 1
        case UInt8(ascii: "]"): return stop
        default: return nil
        }
      }
      return nil
    }

    /// The index after the object that begins at an index; nil if it does not end, or has more in it than a record.
    private static func endOfObject(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
      guard start < text.count, text[start] == UInt8(ascii: "{") else { return nil }
      var (depth, members, isText) = (0, 0, false)
      var index = start
      while index < text.count {
        let byte = text[index]
        index += 1
        if isText {
          if byte == UInt8(ascii: "\\") { index += 1 }
          if byte == UInt8(ascii: "\"") { isText = false }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 { return index }
        case UInt8(ascii: ","):
          members += 1
          guard members < memberLimit else { return nil }
        default: break
        }
      }
      return nil
    }
  }

  /// The index after the first occurrence.
  private static func position(of word: String, in text: some Collection<UInt8>) -> Int? {
    let word = Array(word.utf8)
    let bytes = Array(text.prefix(frameLimit))
    guard bytes.count >= word.count else { return nil }
    let start = (0...bytes.count - word.count).first { bytes[$0..<$0 + word.count].elementsEqual(word) }
    return start.map { $0 + word.count }
  }
}
