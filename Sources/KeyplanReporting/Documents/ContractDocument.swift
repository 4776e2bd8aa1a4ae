/// `schemas/backendCheck.schema.json`.
package struct ContractDocument: Encodable {
  package let formatVersion = 1
  private let target: String
  private let place: String
  private let checks: [CheckFields]
  private let leftovers: [String]

  private struct CheckFields: Encodable {
    let rule: String
    let result: ContractCheck.Result
    let detail: String?
  }

  package init(_ report: ContractReport) {
    (target, place, leftovers) = (report.target, report.place, report.leftovers)
    checks = report.checks.map { CheckFields(rule: $0.rule, result: $0.result, detail: $0.detail) }
  }
}
