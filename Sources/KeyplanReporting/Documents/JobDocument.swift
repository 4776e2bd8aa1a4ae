/// The JSON of `ci` with a service; `schemas/ci.schema.json`.
package struct JobDocument: Encodable {
  let formatVersion = 1
  let service: JobService
  let path: String
  let settings: [JobSetting]
  let text: String
  /// Of a unit only.
  let timer: String?

  package init(_ file: JobFile) {
    (service, path, settings, text) = (file.service, file.path, file.settings, file.text)
    timer = file.service == .cron ? file.timer : nil
  }
}

/// The JSON of `ci --check`; `schemas/ci.schema.json`.
package struct JobChecksDocument: Encodable {
  let formatVersion = 1
  /// The service that was found; absent where none is known.
  let service: String?
  let isJob: Bool
  let checks: [CheckFields]
  let summary: CheckSummary

  package init(_ checks: [Check], service: String?, isJob: Bool) {
    (self.service, self.isJob) = (service, isJob)
    self.checks = checks.map(CheckFields.init)
    summary = CheckSummary(checks)
  }
}
