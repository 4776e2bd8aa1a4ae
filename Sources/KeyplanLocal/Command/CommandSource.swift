package import KeyplanApply
package import KeyplanCore

/// `{command: [program, argument…]}`: what a program prints. No shell is involved, ever.
package struct CommandSource: RawFileSource {
  package static let backend = BackendDescription(
    "command", reference: ReferenceGrammar(.command, example: "command: [program, argument]", isLocal: false))
  /// Password managers ask a daemon or a service; more at once only makes them queue.
  private static let atOnce = 8
  private let context: SourceContext

  /// Runs commands in a private empty directory, with nothing of the context's variables but the allow-list.
  package init(_ context: SourceContext) { self.context = context }

  package var backend: BackendDescription { Self.backend }

  /// Runs each command once, however many references name it. Cancelling the task ends those that run.
  package func read(_ references: [Reference]) async -> [SourceAnswer] { await read(references, asFiles: false) }

  /// The same with all that each command gives, to its last byte.
  package func readFiles(_ references: [Reference]) async -> [SourceAnswer] { await read(references, asFiles: true) }

  private func read(_ references: [Reference], asFiles: Bool) async -> [SourceAnswer] {
    let indices = Dictionary(grouping: references.indices) { Command(references[$0], in: context) }
    var answers = [SourceAnswer](repeating: .missing(), count: references.count)
    await withTaskGroup(of: (Command, SourceAnswer).self) { group in
      for (started, command) in indices.keys.enumerated() {
        if started >= Self.atOnce, let (done, answer) = await group.next() {
          for index in indices[done, default: []] { answers[index] = answer }
        }
        group.addTask { (command, await command.run(in: context, asFile: asFiles)) }
      }
      for await (done, answer) in group {
        for index in indices[done, default: []] { answers[index] = answer }
      }
    }
    return answers
  }
}
