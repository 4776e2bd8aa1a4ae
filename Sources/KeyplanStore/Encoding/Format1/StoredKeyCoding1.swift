import KeyplanCore

/// The encoding of a key's record.
extension ByteWriter {
  mutating func key(_ key: StoredKey) {
    text(key.name.name)
    number(key.record.revision)
    facts(key.record.facts)
    version(key.record.version, of: key)
    list(key.record.history) { $0.version($1, of: key) }
    optional(key.record.retiredAt) { $0.moment($1) }
    optional(key.record.rejected) { $0.raw($1.bytes) }
  }

  private mutating func facts(_ facts: KeyFacts) {
    text(facts.provider)
    optional(facts.model) { $0.text($1) }
    optional(facts.variable) { $0.text($1) }
    byte((facts.ownsVariable ? 1 : 0) | (facts.isProtected ? 2 : 0))
    optional(facts.expiry) { $0.expiry($1) }
    optional(facts.issued) { $0.moment($1) }
    list(facts.sources) { $0.text($1) }
    list(facts.labels.sorted { $0.key < $1.key }) { writer, label in
      writer.text(label.key)
      writer.text(label.value)
    }
  }

  private mutating func expiry(_ expiry: Expiry) {
    switch expiry.limit {
    case .after(let interval):
      byte(0)
      number(interval.seconds)
    case .on(let moment):
      byte(1)
      self.moment(moment)
    }
    number(expiry.warn.seconds)
    text(expiry.then.rawValue)
  }

  private mutating func version(_ version: KeyVersion, of key: StoredKey) {
    number(version.number)
    raw(version.fingerprint.bytes)
    moment(version.storedAt)
    // Nearly always one of the sources, which are encoded already.
    switch (version.origin, version.origin.flatMap { key.record.facts.sources.firstIndex(of: $0) }) {
    case (nil, _): unsigned(0)
    case (let origin?, nil):
      unsigned(1)
      text(origin)
    case (_, let index?): unsigned(UInt64(index) + 2)
    }
    optional(key.salts[version.number]) { $0.raw($1) }
  }
}

extension ByteReader {
  mutating func key() throws(Malformed) -> StoredKey {
    let name: Identifier<Key> = try identifier()
    let revision = try number()
    let facts = try facts()
    var salts: [Int64: [UInt8]] = [:]
    let version = try version(of: facts, &salts)
    let history = try list { reader throws(Malformed) in try reader.version(of: facts, &salts) }
    let record = KeyRecord(
      revision: revision, facts: facts, version: version, history: history,
      retiredAt: try optional { reader throws(Malformed) in try reader.moment() },
      rejected: try optional { reader throws(Malformed) in try reader.fingerprint() })
    return StoredKey(name: name, record: record, salts: salts)
  }

  private mutating func facts() throws(Malformed) -> KeyFacts {
    let provider = try text()
    let model = try optional { reader throws(Malformed) in try reader.text() }
    let variable = try optional { reader throws(Malformed) in try reader.text() }
    let flags = try byte()
    guard flags < 4 else { throw Malformed() }
    let expiry = try optional { reader throws(Malformed) in try reader.expiry() }
    let issued = try optional { reader throws(Malformed) in try reader.moment() }
    let sources = try list { reader throws(Malformed) in try reader.text() }
    let labels = try list { reader throws(Malformed) in (try reader.text(), try reader.text()) }
    return KeyFacts(
      provider: provider, model: model, variable: variable, ownsVariable: flags & 1 != 0, expiry: expiry,
      issued: issued,
      sources: sources, isProtected: flags & 2 != 0, labels: Dictionary(labels) { $1 })
  }

  private mutating func expiry() throws(Malformed) -> Expiry {
    let limit: Expiry.Limit
    switch try byte() {
    case 0: limit = .after(Interval(seconds: try number()))
    case 1: limit = .on(try moment())
    default: throw Malformed()
    }
    return Expiry(limit, warn: Interval(seconds: try number()), then: try choice())
  }

  private mutating func version(of facts: KeyFacts, _ salts: inout [Int64: [UInt8]]) throws(Malformed) -> KeyVersion {
    let number = try number()
    let fingerprint = try fingerprint()
    let storedAt = try moment()
    let origin: String?
    switch try unsigned() {
    case 0: origin = nil
    case 1: origin = try text()
    case let index:
      guard let index = Int(exactly: index - 2), facts.sources.indices.contains(index) else { throw Malformed() }
      origin = facts.sources[index]
    }
    if let salt = try optional({ reader throws(Malformed) in try reader.raw(32) }) { salts[number] = Array(salt) }
    return KeyVersion(number: number, fingerprint: fingerprint, storedAt: storedAt, origin: origin)
  }
}
