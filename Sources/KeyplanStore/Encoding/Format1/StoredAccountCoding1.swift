import KeyplanCore

/// The encoding of an account's record.
extension ByteWriter {
  mutating func account(_ account: StoredAccount) {
    text(account.name.name)
    number(account.record.revision)
    facts(account.record.facts)
    optional(account.record.calendar) { writer, calendar in
      writer.text(calendar.id)
      writer.text(calendar.name)
      writer.byte(calendar.isPrimary ? 1 : 0)
    }
    optional(account.record.signIn) { $0.signIn($1) }
    optional(account.tokens) { writer, tokens in
      writer.raw(tokens.salt)
      writer.number(tokens.serial)
    }
  }

  private mutating func facts(_ facts: AccountFacts) {
    text(facts.service.rawValue)
    text(facts.account)
    optional(facts.client) { $0.text($1) }
    optional(facts.tenant) { $0.text($1) }
    optional(facts.url) { $0.text($1) }
    list(facts.endpoints.sorted { $0.key.rawValue < $1.key.rawValue }) { writer, endpoint in
      writer.text(endpoint.key.rawValue)
      writer.text(endpoint.value)
    }
  }

  private mutating func signIn(_ signIn: SignInRecord) {
    moment(signIn.signedInAt)
    optional(signIn.refreshedAt) { $0.moment($1) }
    switch signIn.access {
    case .absent: byte(0)
    case .until(let end):
      byte(1)
      moment(end)
    case .unlimited: byte(2)
    }
    byte((signIn.isRefreshable ? 1 : 0) | (signIn.isTesting ? 2 : 0) | (signIn.refreshAt == nil ? 0 : 4))
    list(signIn.missing) { $0.text($1) }
    optional(signIn.endsAt) { $0.moment($1) }
    number(signIn.epoch)
    optional(signIn.refreshBegan) { $0.moment($1) }
    optional(signIn.unanswered) { $0.moment($1) }
    optional(signIn.ended) { writer, end in
      writer.text(end.reason.rawValue)
      writer.text(end.code)
      writer.moment(end.at)
    }
    optional(signIn.adopted) { $0.raw($1.bytes) }
    if let moment = signIn.refreshAt { self.moment(moment) }
  }
}

extension ByteReader {
  mutating func account() throws(Malformed) -> StoredAccount {
    let name: Identifier<Account> = try identifier()
    let record = AccountRecord(
      revision: try number(), facts: try facts(),
      calendar: try optional { reader throws(Malformed) in
        AccountCalendar(id: try reader.text(), name: try reader.text(), isPrimary: try reader.flags(below: 2) == 1)
      },
      signIn: try optional { reader throws(Malformed) in try reader.signIn() })
    let tokens = try optional { reader throws(Malformed) in
      StoredAccount.Tokens(salt: Array(try reader.raw(32)), serial: try reader.number())
    }
    return StoredAccount(name: name, record: record, tokens: tokens)
  }

  private mutating func facts() throws(Malformed) -> AccountFacts {
    let service: AccountFacts.Service = try choice()
    let account = try text()
    let client = try optional { reader throws(Malformed) in try reader.text() }
    let tenant = try optional { reader throws(Malformed) in try reader.text() }
    let url = try optional { reader throws(Malformed) in try reader.text() }
    let endpoints = try list { reader throws(Malformed) in
      let endpoint: AccountFacts.Endpoint = try reader.choice()
      return (endpoint, try reader.text())
    }
    return AccountFacts(
      service: service, account: account, client: client, tenant: tenant, url: url,
      endpoints: Dictionary(endpoints) { $1 })
  }

  private mutating func signIn() throws(Malformed) -> SignInRecord {
    let signedInAt = try moment()
    let refreshedAt = try optional { reader throws(Malformed) in try reader.moment() }
    let access: SignInRecord.Access
    switch try byte() {
    case 0: access = .absent
    case 1: access = .until(try moment())
    case 2: access = .unlimited
    default: throw Malformed()
    }
    let flags = try flags(below: 8)
    return SignInRecord(
      signedInAt: signedInAt, refreshedAt: refreshedAt, access: access, isRefreshable: flags & 1 != 0,
      isTesting: flags & 2 != 0, missing: try list { reader throws(Malformed) in try reader.text() },
      endsAt: try optional { reader throws(Malformed) in try reader.moment() }, epoch: try number(),
      refreshBegan: try optional { reader throws(Malformed) in try reader.moment() },
      unanswered: try optional { reader throws(Malformed) in try reader.moment() },
      ended: try optional { reader throws(Malformed) in
        let reason: AccountEnd.Reason = try reader.choice()
        return AccountEnd(reason, code: try reader.text(), at: try reader.moment())
      },
      adopted: try optional { reader throws(Malformed) in try reader.fingerprint() },
      refreshAt: flags & 4 == 0 ? nil : try moment())
  }

  private mutating func flags(below limit: UInt8) throws(Malformed) -> UInt8 {
    let flags = try byte()
    guard flags < limit else { throw Malformed() }
    return flags
  }
}
