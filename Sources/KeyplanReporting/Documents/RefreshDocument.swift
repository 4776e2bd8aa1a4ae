package import KeyplanModel

/// The JSON of `calendar refresh`; `schemas/calendarRefresh.schema.json`.
package struct RefreshDocument: Encodable {
  package let formatVersion = 1
  package let accounts: [Row]

  package struct Row: Encodable {
    package let name: Identifier<Account>
    package let result: String
    package let reason: String?
    package let hint: String?
    package let unreachableSince: Moment?
    package let countsFrom: Moment?
  }

  package init(_ rows: [RefreshRow]) {
    accounts = rows.map { row in
      let result =
        switch row.failure?.status {
        case nil: row.isRefreshed ? "refreshed" : "fresh"
        case .personNeeded: "personNeeded"
        case .unreachable: "unreachable"
        case .locked: "locked"
        default: "failed"
        }
      return Row(
        name: row.id, result: result, reason: row.failure?.detail, hint: row.failure?.hint,
        unreachableSince: row.outage?.since, countsFrom: row.outage?.counts)
    }
  }
}
