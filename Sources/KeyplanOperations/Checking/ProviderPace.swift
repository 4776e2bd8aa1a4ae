internal import KeyplanModel
internal import KeyplanServices

/// Queries providers concurrently, but each of them sequentially.
enum ProviderPace {
  /// The pause between two requests to one provider.
  private static let gap = Duration.milliseconds(250)

  /// The answers, in any order. After a cancellation, no more requests are sent.
  static func ask<Question: Sendable, Answer: Sendable>(
    _ questions: [String: [Question]], through transport: RemoteTransport,
    _ ask: @escaping @Sendable (Question) async -> Answer
  ) async -> [(question: Question, answer: Answer)] {
    await withTaskGroup(of: [(question: Question, answer: Answer)].self) { group in
      for list in questions.values {
        group.addTask {
          var answers: [(question: Question, answer: Answer)] = []
          for (index, question) in list.enumerated() where !Task.isCancelled {
            if index > 0 { await transport.pause(gap) }
            answers.append((question, await ask(question)))
          }
          return answers
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }
}
