internal import ArgumentParser
internal import KeyplanReporting

/// Prints shell completion scripts.
struct Completions: SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a shell completion script.",
    discussion: """
      Names of keys, slots, targets and environments come from the manifest at the time of completion; no store is \
      opened.

      For example:
        keyplan completions bash > ~/.local/share/bash-completion/completions/keyplan
        keyplan completions zsh > ~/.zfunc/_keyplan
        keyplan completions fish > ~/.config/fish/completions/keyplan.fish
      """
  )
  .parsedAlone

  @Argument(help: "The shell.")
  var shell: Shell

  enum Shell: String, ExpressibleByArgument, CaseIterable, Sendable {
    case bash, zsh, fish
  }

  func run(on terminal: Terminal) async throws -> Int32 {
    let kind: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    terminal.out.writeAsItIs(RunCompletion.extending(Keyplan.completionScript(for: kind), for: shell) + "\n")
    return ExitStatus.done.rawValue
  }
}
