import KeyplanModel
import KeyplanPorts

/// The encoding of a record: the version of the encoding, the kind, and the numbered fields of that kind, as documented in
/// docs/store-format.md. A number is never reused with another meaning.
extension StoredRecord {
  enum Kind: UInt8 { case state, key, slot, target, forgotten, account }

  private static let encoding: UInt8 = 1

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

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.encoding)
    writer.byte(kind.rawValue)
    switch self {
    case .state(let state): writer.fields(of: state)
    case .key(let key): writer.fields(of: key)
    case .slot(let slot): writer.fields(of: slot)
    case .target(let target): writer.fields(of: target)
    case .forgotten(let key, let moment): writer.fields(of: key, forgottenAt: moment)
    case .account(let account): writer.fields(of: account)
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard try reader.byte() == Self.encoding, let kind = Kind(rawValue: try reader.byte()) else {
      throw ByteReader.Malformed()
    }
    switch kind {
    case .state: self = .state(try reader.stateFields())
    case .key:
      let (key, moment) = try reader.keyFields()
      guard moment == nil else { throw ByteReader.Malformed() }
      self = .key(key)
    case .slot: self = .slot(try reader.slotFields())
    case .target: self = .target(try reader.targetFields())
    case .forgotten:
      guard case (let key, let moment?) = try reader.keyFields() else { throw ByteReader.Malformed() }
      self = .forgotten(key, at: moment)
    case .account: self = .account(try reader.accountFields())
    }
  }
}

extension ByteWriter {
  /// Writes a part's unknown fields of a later version after its known ones.
  mutating func unknown(_ fields: UnknownFields, in field: UInt64, _ identity: @autoclosure () -> [UInt8]) {
    raw(fields.bytes(in: field, identity()))
  }
}

extension UnknownFields {
  /// Those of a part; empty for none.
  func bytes(in field: UInt64, _ identity: @autoclosure () -> [UInt8]) -> [UInt8] {
    parts.isEmpty ? [] : parts[Part(field: field, identity: identity())] ?? []
  }

  mutating func keep(_ bytes: [UInt8], in field: UInt64, _ identity: @autoclosure () -> [UInt8]) {
    if !bytes.isEmpty { parts[Part(field: field, identity: identity())] = bytes }
  }
}

extension Optional {
  /// The value of a field that is never absent.
  func required() throws(ByteReader.Malformed) -> Wrapped {
    guard let self else { throw ByteReader.Malformed() }
    return self
  }
}
