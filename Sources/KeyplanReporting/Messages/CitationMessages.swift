internal import KeyplanModel

extension CitedDocument {
  /// The subjects in the plural: `requests, answers, outcomes`.
  var subjectWords: String { subjects.map(\.words).joined(separator: ", ") }
}

extension CitedDocument.Subject {
  fileprivate var words: String {
    switch self {
    case .request: "requests"
    case .answer: "answers"
    case .outcome: "outcomes"
    case .names: "names"
    case .limits: "limits"
    case .pace: "rate limits"
    case .rights: "rights"
    case .effect: "effect"
    case .notice: "notices"
    case .steps: "steps"
    }
  }
}
