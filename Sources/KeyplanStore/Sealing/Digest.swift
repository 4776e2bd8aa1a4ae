import KeyplanPorts

/// Binds all record rows to one state of the store: a MAC for each bucket of rows, and the root over the header.
///
/// Detects swapped, replayed, deleted, inserted and truncated rows. A value row depends on its record, which contains
/// its salt.
struct Digest {
  let keys: EpochKeys
  static let bucketCount = 256
  static let emptyBuckets = [UInt8](repeating: 0, count: 16 * bucketCount)

  /// 16 bytes for the rows of a bucket sorted by id; zeros if it is empty.
  func bucket(_ number: UInt8, _ rows: some Collection<Row>) -> [UInt8] {
    guard !rows.isEmpty else { return [UInt8](repeating: 0, count: 16) }
    var fields = LengthPrefixed()
    fields.append("bucket")
    fields.append(Int64(number))
    for row in rows { fields.append(row) }
    return Array(keys.authenticate(rows: fields.bytes).prefix(16))
  }

  /// The root, which authenticates everything else in the header.
  /// - Throws: `planOnly`.
  func root(of header: Header) throws(StoreError) -> [UInt8] { try keys.root(over: Self.fields(of: header)) }

  private static func fields(of header: Header) -> [UInt8] {
    var fields = LengthPrefixed()
    fields.append("root")
    fields.append(header.format)
    fields.append(SchemaChange.current)
    fields.append(header.store)
    fields.append(header.serial)
    fields.append(header.epoch)
    fields.append(header.count)
    fields.append(header.buckets)
    fields.append(keyring: header.keyring)
    return fields.bytes
  }

  /// Verifies the header MAC, and that the store is at this location.
  func verify(_ header: Header) throws(StoreError) {
    try authenticate(header)
    try StoreMark(header)?.requireHere()
  }

  /// Verifies the header MAC, even if the store is marked as moved.
  func authenticate(_ header: Header) throws(StoreError) {
    guard StoreMark(header) != nil else { throw Self.unknownFormat(header.format) }
    // Only for a store that was opened before: when it is opened, the epochs of keyring and header must agree.
    guard header.epoch <= keys.epoch else {
      throw StoreError(.stale, "Another process changed the store's root key meanwhile.", hint: "Run it again.")
    }
    guard header.store == keys.store, header.epoch == keys.epoch, header.buckets.count == 16 * Self.bucketCount,
      keys.isAuthentic(header.root, over: Self.fields(of: header))
    else { throw Sealer.tampered }
  }

  /// - Parameter name: as the header has it. That of a later format names the first version that reads it: `kp2/0.3.0`.
  static func unknownFormat(_ name: String) -> StoreError {
    let known = "this version of keyplan reads \(StoreFormat.name)"
    let parts = name.prefix { $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...20).contains(parts[1].utf8.count),
      parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else {
      return StoreError(
        .newerVersion, "The store has an unknown format; \(known).", hint: "Use a later version of keyplan.")
    }
    return StoreError(
      .newerVersion, "The store has a format of a later version; \(known).", hint: "Use keyplan \(parts[1]) or later.")
  }

  /// Verifies the rows of some buckets, sorted by id, with a verified header.
  func verify(_ rows: [Row], of buckets: Buckets, to header: Header) throws(StoreError) {
    let numbers: [UInt8]
    switch buckets {
    case .none: return
    case .some(let some): numbers = some
    case .all:
      numbers = Array(0...255)
      guard rows.count == header.count else { throw Sealer.tampered }
    }
    var start = rows.startIndex
    var (found, expected): ([UInt8], [UInt8]) = ([], [])
    for number in numbers {
      let end = rows[start...].firstIndex { $0.id.bucket != number } ?? rows.endIndex
      found += bucket(number, rows[start..<end])
      expected += header.buckets[16 * Int(number)..<16 * Int(number) + 16]
      start = end
    }
    // The expected MACs are in the file in clear text, so the comparison need not take constant time.
    guard start == rows.endIndex, found == expected else { throw Sealer.tampered }
  }
}

extension LengthPrefixed {
  mutating func append(_ row: Row) {
    append(row.id.bytes)
    append(row.epoch)
    append(row.algorithm)
    append(row.sealed)
  }

  mutating func append(keyring: [String: [UInt8]]) {
    for (slot, file) in keyring.sorted(by: { $0.key < $1.key }) {
      append(slot)
      append(file)
    }
  }
}
