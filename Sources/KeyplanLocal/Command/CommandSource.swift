package import KeyplanModel
package import KeyplanPorts

/// `{command: [program, argument…]}`: the output of a program. Never uses a shell.
package struct CommandSource: RawFileSource {
  package static let backend = BackendDescription(
    "command", help: "Programs, such as the clients of password managers.",
    reference: ReferenceGrammar(
      .command, example: "command: [program, argument]", isLocal: false,
      help: "A program and its arguments. No shell is involved."),
    target: .command)
  /// Password managers query a daemon or a service, where more requests would only be queued.
  private static let atOnce = 8
  private let context: SourceContext

  /// Runs commands in a private empty directory, with an allow-list of the context's variables.
  package init(_ context: SourceContext) { self.context = context }

  package var backend: BackendDescription { Self.backend }

  /// Runs each command once, however many references name it. Cancelling the task kills running commands.
  package func read(_ references: [Reference]) async -> [SourceAnswer] { await read(references, asFiles: false) }

  /// The same with the complete output, including a newline at the end.
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
