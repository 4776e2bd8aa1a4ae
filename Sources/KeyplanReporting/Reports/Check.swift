/// The result of one check of the environment.
package struct Check {
  package let subject: Subject
  package let level: Level
  /// The state, in a few words.
  package let detail: String
  /// The fix.
  package let hint: String?
  /// The exit code of an error; nil for other results.
  package let status: ExitStatus?

  package enum Level: String, Encodable {
    case ok, warning, error
  }

  /// The subject of a check. Names are stable; programs may match on them.
  package enum Subject: String, Encodable {
    case manifest, identity, store, pin, recovery, clock, ignored, folder, targets, connections, accounts, commands,
      libraries
    // Of CI jobs.
    case job, checkout, environment, variables
  }

  package static func ok(_ subject: Subject, _ detail: String) -> Check {
    Check(subject: subject, level: .ok, detail: detail, hint: nil, status: nil)
  }

  package static func warning(_ subject: Subject, _ detail: String, hint: String) -> Check {
    Check(subject: subject, level: .warning, detail: detail, hint: hint, status: nil)
  }

  package static func error(_ subject: Subject, _ detail: String, hint: String?, _ status: ExitStatus = .failed)
    -> Check
  {
    Check(subject: subject, level: .error, detail: detail, hint: hint, status: status)
  }

  /// An error that would end another command, as a result here.
  package static func error(_ subject: Subject, _ failure: Failure) -> Check {
    let isOther = [.storeRefused, .unreachable].contains(failure.status)
    return error(subject, failure.detail, hint: failure.hint, isOther ? failure.status : .failed)
  }
}
