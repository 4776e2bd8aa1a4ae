import KeyplanCore

/// The numbered fields of records in a store of the format `kp2`, as documented in docs/store-format.md. A number is
/// never reused with another meaning.
extension StoredRecord {
  func writeNumbered(to writer: inout ByteWriter) {
    switch self {
    case .state(let state): writer.fields(of: state)
    case .key(let key): writer.fields(of: key)
    case .slot(let slot): writer.fields(of: slot)
    case .target(let target): writer.fields(of: target)
    case .forgotten(let key, let moment): writer.fields(of: key, forgottenAt: moment)
    case .account(let account): writer.fields(of: account)
    }
  }

  init(numbered kind: Kind, _ reader: inout ByteReader) throws(ByteReader.Malformed) {
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
    guard !fields.parts.isEmpty else { return }
    raw(fields.parts[UnknownFields.Part(field: field, identity: identity())] ?? [])
  }
}

extension UnknownFields {
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
