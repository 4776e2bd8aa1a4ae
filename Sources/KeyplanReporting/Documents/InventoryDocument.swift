internal import KeyplanModel

/// The JSON of `report`; `schemas/report.schema.json`.
package struct InventoryDocument: Encodable {
  let formatVersion = 1
  let environment: String?
  let store: StoreFields?
  let checkedAt: Moment
  let findings: [DriftDocument.FindingFields]
  let summary: DriftDocument.Summary
  let diagnostics: [DiagnosticFields]
  let expirations: [ExpirationFields]
  let keys: [KeysDocument.Row]
  let targets: [TargetFields]
  let accounts: [AccountStatusDocument.Row]
  let runs: [RunFields]

  struct ExpirationFields: Encodable {
    let address: Address
    let at: Moment
    let isNear: Bool
    let isExposure: Bool
  }

  struct TargetFields: Encodable {
    let name: Identifier<Target>
    let type: String
    let location: String
    let isDeclared: Bool
    let entries: [Entry]

    struct Entry: Encodable {
      let name: String
      let key: Identifier<Key>
      let syncedAt: Moment
    }
  }

  package init(_ report: InventoryReport) {
    let drift = DriftDocument(report.drift)
    (environment, store, checkedAt) = (drift.environment, drift.store, report.now)
    (findings, summary, diagnostics) = (drift.findings, drift.summary, drift.diagnostics)
    expirations = report.expirations.map {
      ExpirationFields(address: $0.address, at: $0.at, isNear: $0.isNear, isExposure: $0.isExposure)
    }
    keys = KeysDocument(report.keys, environment: nil, store: nil).keys
    targets = report.targets.map { target in
      TargetFields(
        name: target.name, type: target.destination.type, location: target.destination.location,
        isDeclared: target.isDeclared,
        entries: target.entries.map {
          TargetFields.Entry(name: $0.name, key: $0.entry.key, syncedAt: $0.entry.syncedAt)
        })
    }
    accounts = AccountStatusDocument(report.accounts, environment: nil, store: nil).accounts
    runs = report.runs.map(RunFields.init)
  }
}
