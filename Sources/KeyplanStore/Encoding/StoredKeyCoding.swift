import KeyplanModel
import KeyplanPorts

extension ByteWriter {
  /// - Parameter moment: for a forgotten key, the time at which it was forgotten.
  mutating func fields(of key: StoredKey, forgottenAt moment: Moment? = nil) {
    let (record, facts) = (key.record, key.record.facts)
    field(1, text: key.name.name)
    field(2, number: record.revision)
    self.fields(of: facts, unknownOfExpiry: key.unknown.bytes(in: 8, []))
    field(12) { $0.fields(of: record.version, key) }
    for version in record.history { field(13) { $0.fields(of: version, key) } }
    field(14, moment: record.retiredAt)
    field(15, fingerprint: record.rejected)
    field(16, text: record.trackedContent)
    if let check = record.refusal { field(18) { $0.fields(of: check) } }
    field(17, moment: moment)
    for revocation in record.revoked {
      field(19) { writer in
        writer.field(1, fingerprint: revocation.fingerprint)
        writer.field(2, number: revocation.version)
        writer.field(3, moment: revocation.at)
        writer.field(4, text: revocation.reason)
        writer.unknown(key.unknown, in: 19, revocation.fingerprint.bytes)
      }
    }
    if let group = key.group {
      field(21) { writer in
        writer.field(1) { $0.raw(group.bytes) }
        for name in facts.recipients ?? [] { writer.field(2, text: name.name) }
        writer.unknown(key.unknown, in: 21, [])
      }
    }
    for issued in record.issued { field(22) { $0.fields(of: issued, key.unknown) } }
    if let pending = record.pending {
      field(23) { writer in
        if pending.number != record.version.number { writer.fields(of: pending, key) }
      }
    }
    raw(key.unknown.own)
  }

  private mutating func fields(of issued: IssuedKey, _ unknown: UnknownFields) {
    field(1, text: issued.id)
    field(2, text: issued.label)
    destination(issued.place, from: 3)
    field(6, number: issued.version)
    field(7, moment: issued.mintedAt)
    field(8, moment: issued.expires)
    field(9, moment: issued.disabledAt)
    field(10, moment: issued.renewedAt)
    field(11, if: issued.isEnding)
    self.unknown(unknown, in: 22, Array(issued.id.utf8))
  }

  private mutating func fields(of version: KeyVersion, _ key: StoredKey) {
    field(1, number: version.number)
    field(2, fingerprint: version.fingerprint)
    field(3, moment: version.storedAt)
    if let origin = version.origin {
      // Nearly always one of the sources, which are encoded already.
      if let index = key.record.facts.sources.firstIndex(of: origin) {
        field(4, number: Int64(index))
      } else {
        field(5, text: origin)
      }
    }
    if let salt = key.salts[version.number] { field(6) { $0.raw(salt) } }
    for exposure in version.exposures { field(8) { $0.fields(of: exposure) } }
    if let check = version.check { field(10) { $0.fields(of: check) } }
    field(12, moment: version.issuedAt)
    if let format = version.missedFormat { field(14, text: format) }
    for part in version.parts {
      field(15) { writer in
        writer.field(1, text: part.key.name)
        writer.field(2, number: part.number)
        writer.field(3, moment: part.storedAt)
      }
    }
    unknown(key.unknown, in: 13, versionIdentity(version.number))
  }

  private mutating func fields(of check: KeyCheck) {
    field(1, text: check.outcome.rawValue)
    field(2, moment: check.at)
    field(3, moment: check.expires)
  }
}

extension ByteReader {
  mutating func keyFields() throws(Malformed) -> (key: StoredKey, forgottenAt: Moment?) {
    var name: Identifier<Key>?
    var (revision, provider): (Int64?, String?)
    var texts = KeyTexts()
    var variable: String?
    var (ownsVariable, isProtected) = (false, false)
    var expiry: Expiry?
    var (issued, retiredAt, forgottenAt): (Moment?, Moment?, Moment?)
    var (sources, labels): ([String], [String: String]) = ([], [:])
    var version: KeyVersion?
    var history: [KeyVersion] = []
    var rejected: Fingerprint?
    var content: String?
    var refusal: KeyCheck?
    var (salts, unknown): ([Int64: [UInt8]], UnknownFields) = ([:], UnknownFields())
    var revoked: [Revocation] = []
    var group: RowID?
    var recipients: [Identifier<Recipient>]?
    var minted: [IssuedKey] = []
    var (isPending, pending): (Bool, KeyVersion?) = (false, nil)
    unknown.own = try fields(lists: 1 << 10 | 1 << 11 | 1 << 13 | 1 << 19 | 1 << 22) {
      reader, number throws(Malformed) in
      switch number {
      case 1: name = try reader.name()
      case 2: revision = try reader.number()
      case 3: provider = try reader.rest()
      case 5: variable = try reader.rest()
      case 6: ownsVariable = true
      case 7: isProtected = true
      case 8: expiry = try reader.expiryFields(&unknown)
      case 9: issued = try reader.moment()
      case 10: sources.append(try reader.rest())
      case 11:
        let (name, value) = try reader.pair()
        labels[name] = value
      case 12: version = try reader.versionFields(from: sources, &salts, &unknown)
      case 13: history.append(try reader.versionFields(from: sources, &salts, &unknown))
      case 14: retiredAt = try reader.moment()
      case 15: rejected = try reader.fingerprint()
      case 16: content = try reader.rest()
      case 17: forgottenAt = try reader.moment()
      case 18: refusal = try reader.checkFields()
      case 19: revoked.append(try reader.revocationFields(&unknown))
      case 21: (group, recipients) = try reader.groupFields(&unknown)
      case 22: minted.append(try reader.issuedFields(&unknown))
      case 23:
        isPending = true
        if !reader.isAtEnd { pending = try reader.versionFields(from: sources, &salts, &unknown) }
      default:
        guard let text = KeyText(number: number) else { return false }
        texts[text] = try reader.rest()
      }
      return true
    }
    let facts = KeyFacts(
      provider: try provider.required(), texts: texts, variable: variable, ownsVariable: ownsVariable, expiry: expiry,
      issued: issued, sources: sources, isProtected: isProtected, labels: labels, recipients: recipients)
    var record = KeyRecord(
      revision: try revision.required(), facts: facts, version: try version.required(), history: history,
      retiredAt: retiredAt, rejected: rejected, revoked: revoked)
    if let content { record.trackedContent = content }
    record.refusal = refusal
    record.issued = minted
    // Without fields it is the current version.
    if isPending { record.pending = pending ?? record.version }
    let key = StoredKey(
      name: try name.required(), record: record, salts: salts, unknown: unknown, group: group)
    return (key, forgottenAt)
  }

  private mutating func groupFields(
    _ unknown: inout UnknownFields
  ) throws(Malformed) -> (RowID, [Identifier<Recipient>]) {
    var id: RowID?
    var names: [Identifier<Recipient>] = []
    let kept = try fields(lists: 1 << 2) { reader, number throws(Malformed) in
      switch number {
      case 1: id = RowID(try reader.raw(16))
      case 2: names.append(try reader.name())
      default: return false
      }
      return true
    }
    unknown.keep(kept, in: 21, [])
    return (try id.required(), names)
  }

  private mutating func expiryFields(_ unknown: inout UnknownFields) throws(Malformed) -> Expiry {
    var limit: Expiry.Limit?
    var warn: Int64?
    var then: Expiry.Consequence?
    var overlap: Int64?
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: limit = .after(Interval(seconds: try reader.number()))
      case 2: limit = .on(try reader.moment())
      case 3: warn = try reader.number()
      case 4: then = try reader.value()
      case 6: overlap = try reader.number()
      default: return false
      }
      return true
    }
    unknown.keep(kept, in: 8, [])
    return Expiry(
      try limit.required(), warn: Interval(seconds: try warn.required()), then: try then.required(),
      overlap: overlap.map { Interval(seconds: $0) })
  }

  private mutating func issuedFields(_ unknown: inout UnknownFields) throws(Malformed) -> IssuedKey {
    var (id, label): (String?, String?)
    var place = DestinationFields()
    var version: Int64?
    var (mintedAt, expires, disabledAt, renewedAt): (Moment?, Moment?, Moment?, Moment?)
    var isEnding = false
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: id = try reader.rest()
      case 2: label = try reader.rest()
      case 3...5: try place.read(number - 3, &reader)
      case 6: version = try reader.number()
      case 7: mintedAt = try reader.moment()
      case 8: expires = try reader.moment()
      case 9: disabledAt = try reader.moment()
      case 10: renewedAt = try reader.moment()
      case 11: isEnding = true
      default: return false
      }
      return true
    }
    let known = try id.required()
    unknown.keep(kept, in: 22, Array(known.utf8))
    return IssuedKey(
      id: known, label: try label.required(), place: try place.destination(), version: try version.required(),
      mintedAt: try mintedAt.required(), expires: expires, renewedAt: renewedAt, isEnding: isEnding,
      disabledAt: disabledAt)
  }

  private mutating func versionFields(
    from sources: [String], _ salts: inout [Int64: [UInt8]], _ unknown: inout UnknownFields
  ) throws(Malformed) -> KeyVersion {
    var (number, fingerprint, storedAt): (Int64?, Fingerprint?, Moment?)
    var issuedAt: Moment?
    var origin: String?
    var salt: [UInt8]?
    var exposures: [Exposure] = []
    var check: KeyCheck?
    var missedFormat: String?
    var parts: [ComposedPart] = []
    let kept = try fields(lists: 1 << 8 | 1 << 15) { reader, field throws(Malformed) in
      switch field {
      case 1: number = try reader.number()
      case 2: fingerprint = try reader.fingerprint()
      case 3: storedAt = try reader.moment()
      case 4:
        guard let index = Int(exactly: try reader.number()), sources.indices.contains(index) else { throw Malformed() }
        origin = sources[index]
      case 5: origin = try reader.rest()
      case 6: salt = Array(try reader.raw(32))
      case 8: exposures.append(try reader.exposureFields())
      case 10: check = try reader.checkFields()
      case 12: issuedAt = try reader.moment()
      case 14: missedFormat = try reader.rest()
      case 15: parts.append(try reader.partFields())
      default: return false
      }
      return true
    }
    let known = try number.required()
    salts[known] = salt
    unknown.keep(kept, in: 13, versionIdentity(known))
    return KeyVersion(
      number: known, fingerprint: try fingerprint.required(), storedAt: try storedAt.required(), issuedAt: issuedAt,
      origin: origin, exposures: exposures, check: check, missedFormat: missedFormat, parts: parts)
  }

  /// Fields that a later version adds are not kept: the next value has all of them.
  private mutating func partFields() throws(Malformed) -> ComposedPart {
    var key: Identifier<Key>?
    var number: Int64?
    var storedAt: Moment?
    _ = try fields { reader, field throws(Malformed) in
      switch field {
      case 1: key = try reader.name()
      case 2: number = try reader.number()
      case 3: storedAt = try reader.moment()
      default: return false
      }
      return true
    }
    return ComposedPart(key: try key.required(), number: try number.required(), storedAt: try storedAt.required())
  }

  /// An outcome that a later version adds reads as unknown, and fields that it adds are not kept: the next check writes all of them.
  private mutating func checkFields() throws(Malformed) -> KeyCheck {
    var outcome: String?
    var (at, expires): (Moment?, Moment?)
    _ = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: outcome = try reader.rest()
      case 2: at = try reader.moment()
      case 3: expires = try reader.moment()
      default: return false
      }
      return true
    }
    return KeyCheck(
      CheckOutcome(rawValue: try outcome.required()) ?? .unknown, at: try at.required(), expires: expires)
  }

  private mutating func revocationFields(_ unknown: inout UnknownFields) throws(Malformed) -> Revocation {
    var (fingerprint, version, at): (Fingerprint?, Int64?, Moment?)
    var reason: String?
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: fingerprint = try reader.fingerprint()
      case 2: version = try reader.number()
      case 3: at = try reader.moment()
      case 4: reason = try reader.rest()
      default: return false
      }
      return true
    }
    let known = try fingerprint.required()
    unknown.keep(kept, in: 19, Array(known.bytes))
    return Revocation(fingerprint: known, version: try version.required(), at: try at.required(), reason: reason)
  }
}

/// The same for a version whether it is current or in the history.
private func versionIdentity(_ number: Int64) -> [UInt8] {
  var writer = ByteWriter()
  writer.number(number)
  return writer.bytes
}

/// The same in the version of a key and in the sign-in of an account. Fields that a later version adds are not kept.
extension ByteWriter {
  mutating func fields(of exposure: Exposure) {
    field(1, text: exposure.recipient.name)
    field(2, moment: exposure.since)
  }
}

extension ByteReader {
  mutating func exposureFields() throws(Malformed) -> Exposure {
    var recipient: Identifier<Recipient>?
    var since: Moment?
    _ = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: recipient = try reader.name()
      case 2: since = try reader.moment()
      default: return false
      }
      return true
    }
    return Exposure(recipient: try recipient.required(), since: try since.required())
  }
}
