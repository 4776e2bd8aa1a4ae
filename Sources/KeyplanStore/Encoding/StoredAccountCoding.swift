import KeyplanModel
import KeyplanPorts

extension ByteWriter {
  mutating func fields(of account: StoredAccount) {
    let facts = account.record.facts
    field(1, text: account.name.name)
    field(2, number: account.record.revision)
    self.fields(of: facts)
    if let calendar = account.record.calendar {
      field(9) { writer in
        writer.fields(of: calendar)
        writer.unknown(account.unknown, in: 9, [])
      }
    }
    if let signIn = account.record.signIn { field(10) { $0.fields(of: signIn, account.unknown) } }
    if let tokens = account.tokens {
      field(11) { $0.raw(tokens.salt) }
      field(12, number: tokens.serial)
    }
    if let refusal = account.record.refusal {
      field(13) { writer in
        writer.field(1, text: refusal.reason.rawValue)
        writer.field(2, text: refusal.code)
        writer.field(3, moment: refusal.since)
        writer.unknown(account.unknown, in: 13, [])
      }
    }
    raw(account.unknown.own)
  }

  private mutating func fields(of signIn: SignInRecord, _ unknown: UnknownFields) {
    field(1, moment: signIn.signedInAt)
    field(2, moment: signIn.refreshedAt)
    switch signIn.access {
    case .absent: break
    case .until(let end): field(3, moment: end)
    case .unlimited: field(4, if: true)
    }
    field(5, if: signIn.isRefreshable)
    field(6, if: signIn.isTesting)
    for scope in signIn.missing { field(7, text: scope) }
    field(8, moment: signIn.endsAt)
    field(9, number: signIn.epoch)
    field(10, moment: signIn.refreshBegan)
    field(11, moment: signIn.unanswered)
    if let end = signIn.ended {
      field(12) { writer in
        writer.field(1, text: end.reason.rawValue)
        writer.field(2, text: end.code)
        writer.field(3, moment: end.at)
        writer.unknown(unknown, in: 12, [])
      }
    }
    field(13, fingerprint: signIn.adopted)
    field(14, moment: signIn.refreshAt)
    for exposure in signIn.exposures { field(16) { $0.fields(of: exposure) } }
    self.unknown(unknown, in: 10, [])
  }
}

extension ByteReader {
  mutating func accountFields() throws(Malformed) -> StoredAccount {
    var name: Identifier<Account>?
    var (revision, service, account): (Int64?, AccountFacts.Service?, String?)
    var (client, tenant, url): (String?, String?, String?)
    var endpoints: [AccountFacts.Endpoint: String] = [:]
    var (calendar, signIn): (AccountCalendar?, SignInRecord?)
    var (salt, serial): ([UInt8]?, Int64?)
    var refusal: AccountRefusal?
    var unknown = UnknownFields()
    unknown.own = try fields(lists: 1 << 8) { reader, number throws(Malformed) in
      switch number {
      case 1: name = try reader.name()
      case 2: revision = try reader.number()
      case 3: service = try reader.value()
      case 4: account = try reader.rest()
      case 5: client = try reader.rest()
      case 6: tenant = try reader.rest()
      case 7: url = try reader.rest()
      case 8:
        let endpoint: AccountFacts.Endpoint = try reader.choice()
        endpoints[endpoint] = try reader.rest()
      case 9: calendar = try reader.calendarFields(&unknown)
      case 10: signIn = try reader.signInFields(&unknown)
      case 11: salt = Array(try reader.raw(32))
      case 12: serial = try reader.number()
      case 13: refusal = try reader.refusalFields(&unknown)
      default: return false
      }
      return true
    }
    let facts = AccountFacts(
      service: try service.required(), account: try account.required(), client: client, tenant: tenant, url: url,
      endpoints: endpoints)
    let record = AccountRecord(
      revision: try revision.required(), facts: facts, calendar: calendar, signIn: signIn, refusal: refusal)
    guard (salt == nil) == (serial == nil) else { throw Malformed() }
    let tokens = salt.flatMap { salt in serial.map { StoredAccount.Tokens(salt: salt, serial: $0) } }
    return StoredAccount(name: try name.required(), record: record, tokens: tokens, unknown: unknown)
  }

  private mutating func calendarFields(_ unknown: inout UnknownFields) throws(Malformed) -> AccountCalendar {
    var (id, name): (String?, String?)
    var isPrimary = false
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: id = try reader.rest()
      case 2: name = try reader.rest()
      case 3: isPrimary = true
      default: return false
      }
      return true
    }
    unknown.keep(kept, in: 9, [])
    return AccountCalendar(id: try id.required(), name: try name.required(), isPrimary: isPrimary)
  }

  private mutating func refusalFields(_ unknown: inout UnknownFields) throws(Malformed) -> AccountRefusal {
    var (reason, code, since): (String?, String?, Moment?)
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: reason = try reader.rest()
      case 2: code = try reader.rest()
      case 3: since = try reader.moment()
      default: return false
      }
      return true
    }
    unknown.keep(kept, in: 13, [])
    // Later versions may have reasons that this one does not know.
    let known = AccountRefusal.Reason(rawValue: try reason.required()) ?? .other
    return AccountRefusal(known, code: try code.required(), since: try since.required())
  }

  private mutating func signInFields(_ unknown: inout UnknownFields) throws(Malformed) -> SignInRecord {
    var (signedInAt, epoch): (Moment?, Int64?)
    var record = SignInRecord(signedInAt: Moment(seconds: 0), access: .absent, isRefreshable: false)
    let kept = try fields(lists: 1 << 7 | 1 << 16) { reader, number throws(Malformed) in
      switch number {
      case 1: signedInAt = try reader.moment()
      case 2: record.refreshedAt = try reader.moment()
      case 3: record.access = .until(try reader.moment())
      case 4: record.access = .unlimited
      case 5: record.isRefreshable = true
      case 6: record.isTesting = true
      case 7: record.missing.append(try reader.rest())
      case 8: record.endsAt = try reader.moment()
      case 9: epoch = try reader.number()
      case 10: record.refreshBegan = try reader.moment()
      case 11: record.unanswered = try reader.moment()
      case 12: record.ended = try reader.endFields(&unknown)
      case 13: record.adopted = try reader.fingerprint()
      case 14: record.refreshAt = try reader.moment()
      case 16: record.exposures.append(try reader.exposureFields())
      default: return false
      }
      return true
    }
    record.signedInAt = try signedInAt.required()
    record.epoch = try epoch.required()
    unknown.keep(kept, in: 10, [])
    return record
  }

  private mutating func endFields(_ unknown: inout UnknownFields) throws(Malformed) -> AccountEnd {
    var (reason, code, at): (String?, String?, Moment?)
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: reason = try reader.rest()
      case 2: code = try reader.rest()
      case 3: at = try reader.moment()
      default: return false
      }
      return true
    }
    unknown.keep(kept, in: 12, [])
    // Later versions may have reasons that this one does not know.
    let known = AccountEnd.Reason(rawValue: try reason.required()) ?? .ended
    return AccountEnd(known, code: try code.required(), at: try at.required())
  }
}
