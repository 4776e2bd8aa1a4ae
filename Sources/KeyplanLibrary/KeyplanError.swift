internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// An error or a warning. Values do not occur in it.
public struct KeyplanProblem: Sendable {
  /// `secretNotFound`, `targetUnreachable` …: the codes of docs/diagnostics.md.
  public let code: String
  /// Whether something does not happen because of it.
  public let isError: Bool
  /// One or two sentences.
  public let detail: String
  /// The fix, if there is one.
  public let hint: String?
  /// `keyplan.yaml:12:5`, if the problem is in a file.
  public let place: String?

  init(_ diagnostic: Diagnostic) {
    let message = diagnostic.message
    code = diagnostic.code.rawValue
    isError = diagnostic.code.severity == .error
    (detail, hint) = (message.detail, message.hint)
    place = diagnostic.place.map { "\($0)" }
  }
}

/// The error of an operation that ended early.
public struct KeyplanError: Error, CustomStringConvertible {
  /// The exit code that the program `keyplan` has for it: docs/exit-codes.md.
  public let exitCode: Int32
  /// A few words, the same for every error of this kind.
  public let summary: String
  /// A description in sentences.
  public let detail: String
  /// The fix, if there is one.
  public let hint: String?
  /// The errors of the manifest, where it has any.
  public let problems: [KeyplanProblem]

  /// Summary, detail and hint.
  public var description: String { [summary + ".", detail, hint].compactMap(\.self).joined(separator: " ") }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure:
      (exitCode, problems) = (failure.status.rawValue, [])
      (summary, detail, hint) = (failure.summary, failure.detail, failure.hint)
    case let rejected as Project.Rejected:
      (exitCode, summary, hint) = (ExitStatus.failed.rawValue, "Manifest has errors", "keyplan validate")
      problems = rejected.project.diagnostics.map { KeyplanProblem($0) }
      detail = problems.filter(\.isError).map { [$0.place, $0.detail].compactMap(\.self).joined(separator: ": ") }
        .joined(separator: "\n")
    default:
      (exitCode, problems) = (ExitStatus.failed.rawValue, [])
      (summary, detail, hint) = ("Unexpected error", "\(type(of: error))", nil)
    }
  }
}
