/// The encoding of a record: the version of the encoding, the kind, and the fields of that kind.
extension StoredRecord {
  enum Kind: UInt8 { case state, key, slot, target, forgotten, account }

  var kind: Kind {
    switch self {
    case .state: .state
    case .key: .key
    case .slot: .slot
    case .target: .target
    case .forgotten: .forgotten
    case .account: .account
    }
  }

  func encoded(as format: StoreFormat) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(format.encoding)
    writer.byte(kind.rawValue)
    switch format {
    case .fixedFields: writeInFixedOrder(to: &writer)
    case .numberedFields, .signedRoot, .groups: writeNumbered(to: &writer)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let encoding = try reader.byte()
    guard let kind = Kind(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
    switch encoding {
    case StoreFormat.fixedFields.encoding: try self.init(inFixedOrder: kind, &reader)
    case StoreFormat.numberedFields.encoding: try self.init(numbered: kind, &reader)
    default: throw ByteReader.Malformed()
    }
  }
}
