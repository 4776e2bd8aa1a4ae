internal import CProcess

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A command that runs next to keyplan, in a process group of its own. If keyplan has the terminal, the command gets it.
struct ChildCommand {
  private let process: pid_t
  /// The terminal that the command has; -1 for none.
  private let terminal: Int32

  enum Progress {
    case running
    /// Its exit code; 128 and the number for a signal.
    case ended(Int32)
  }

  /// It cannot be executed, by the `errno`.
  struct Refusal: Error {
    let number: Int32
  }

  init(_ image: ProgramImage, _ hardening: Hardening) throws(Refusal) {
    terminal = tcgetpgrp(STDIN_FILENO) == getpgrp() ? STDIN_FILENO : -1
    process = keyplan_start(
      image.program, image.arguments, &image.variables, hardening.surroundings(giving: terminal))
    guard process > 0 else {
      let number = errno
      takeTerminalBack()
      throw Refusal(number: number)
    }
  }

  /// Whether it has ended. If the terminal stops the command (Ctrl-Z), keyplan stops too, and both continue together.
  func progress() -> Progress {
    let progress = keyplan_progress_of(process)
    if progress.ended != 0 { return .ended(progress.code) }
    guard progress.stopped != 0, terminal >= 0, tcgetpgrp(terminal) == process else { return .running }
    takeTerminalBack()
    kill(0, SIGTSTP)
    // In the background, the terminal is the shell's.
    if tcgetpgrp(terminal) == getpgrp() { keyplan_give_terminal(terminal, process) }
    kill(-process, SIGCONT)
    return .running
  }

  /// Sends a signal to the command alone, but keyboard signals to its whole group, as a terminal does.
  func send(_ number: Int32) {
    kill(number == SIGINT || number == SIGQUIT ? -process : process, number)
    // A stopped process does not handle signals.
    if number == SIGTERM { kill(process, SIGCONT) }
  }

  /// Kills it and the processes that it has started.
  func killGroup() { kill(-process, SIGKILL) }

  /// Forgets a command that has ended.
  /// - Parameter completely: whether its remaining child processes are killed.
  func reap(completely: Bool) {
    // First, because the number of the group is free once the process and all its members are gone.
    if completely { killGroup() }
    keyplan_reap(process)
    takeTerminalBack()
  }

  private func takeTerminalBack() {
    if terminal >= 0 { keyplan_give_terminal(terminal, getpgrp()) }
  }
}
