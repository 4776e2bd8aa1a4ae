/// The fields that records of the store share with steps of a plan, with the numbers of docs/store-format.md.
extension ByteWriter {
  /// Fields 3 to 11 of a key, and those of its texts.
  /// - Parameter unknown: fields of the expiry that a later version of keyplan wrote.
  package mutating func fields(of facts: KeyFacts, unknownOfExpiry unknown: [UInt8] = []) {
    field(3, text: facts.provider)
    for text in KeyText.allCases { field(text.number, text: facts.texts[text]) }
    field(5, text: facts.variable)
    field(6, if: facts.ownsVariable)
    field(7, if: facts.isProtected)
    if let expiry = facts.expiry {
      field(8) { writer in
        switch expiry.limit {
        case .after(let interval): writer.field(1, number: interval.seconds)
        case .on(let moment): writer.field(2, moment: moment)
        }
        writer.field(3, number: expiry.warn.seconds)
        writer.field(4, text: expiry.then.rawValue)
        if let overlap = expiry.overlap { writer.field(6, number: overlap.seconds) }
        writer.raw(unknown)
      }
    }
    field(9, moment: facts.issued)
    for source in facts.sources { field(10, text: source) }
    for (name, value) in facts.labels.sorted(by: { $0.key < $1.key }) { field(11, pair: name, value) }
  }

  /// Fields 3 to 8 of an account.
  package mutating func fields(of facts: AccountFacts) {
    field(3, text: facts.service.rawValue)
    field(4, text: facts.account)
    field(5, text: facts.client)
    field(6, text: facts.tenant)
    field(7, text: facts.url)
    for (endpoint, address) in facts.endpoints.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      field(8, pair: endpoint.rawValue, address)
    }
  }

  package mutating func fields(of calendar: AccountCalendar) {
    field(1, text: calendar.id)
    field(2, text: calendar.name)
    field(3, if: calendar.isPrimary)
  }

  /// Writes three fields, beginning with this number.
  package mutating func destination(_ destination: Destination, from number: UInt64) {
    field(number, text: destination.type)
    field(number + 1, text: destination.location)
    field(number + 2, text: destination.surface?.description)
  }
}
