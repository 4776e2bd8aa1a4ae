internal import ArgumentParser
internal import KeyplanReporting

/// What a shell loads to complete keyplan's command lines.
struct Completions: SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a script that completes keyplan's commands, options and names in a shell.",
    discussion: """
      Names of keys, slots, targets and environments come from the manifest that is there when Tab is pressed; no store \
      is opened for them.

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
    terminal.out.writeAsItIs(Keyplan.completionScript(for: kind) + "\n")
    return ExitStatus.done.rawValue
  }
}
