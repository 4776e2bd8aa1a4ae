internal import KeyplanOperations
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Runs a command with the current values: restarts it when they change, and stops it when one is not available any more.
struct Supervisor {
  private enum State {
    case running
    /// It got SIGTERM, and is killed at a moment, if it was not yet.
    case stopping(killedAt: ContinuousClock.Instant?, Next)
  }

  private enum Next {
    case start([Export])
    case fail
  }

  private let program: String
  private let arguments: [String]
  private let grace: Duration
  private let signal: Int32?
  private let terminal: Terminal
  private let world: World

  /// Of restarts, and of signals in their place.
  private static let shortestPause = Duration.seconds(5)
  /// The signals that a command started by `keyplan run` would get itself. SIGCHLD ends the loop's wait.
  private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD]

  /// - Parameter signal: sent in the place of a restart.
  init(
    _ program: String, _ arguments: [String], grace: Duration, signal: Int32?, on terminal: Terminal, in world: World
  ) {
    (self.program, self.arguments, self.grace, self.signal) = (program, arguments, grace, signal)
    (self.terminal, self.world) = (terminal, world)
  }

  /// Runs the command until it ends, which blocks the thread.
  /// - Parameter exports: consumed, so that no copy of a value stays in memory while the command runs.
  /// - Returns: the exit code.
  func run(_ exports: consuming [Export], following watch: ExportWatch) -> Int32 {
    SignalPipe.catching(Self.caught)
    let task = watch.start()
    defer { task.cancel() }
    while true {
      do throws(NotStarted) {
        let run = try start(exports)
        exports = []
        switch supervise(run, following: watch) {
        case .code(let code): return code
        case .start(let next): exports = next
        }
      } catch {
        terminal.report(error.failure)
        return error.code
      }
    }
  }

  /// Until it ends.
  private func supervise(_ started: Run, following watch: ExportWatch) -> End {
    var run = started
    while true {
      take(watch.take(), for: &run)
      if case .ended(let code) = run.child.progress() { return afterEnd(of: run, code) }
      act(on: &run)
      for number in SignalPipe.wait(pause(of: run)).signals where number != SIGCHLD {
        run.child.send(number)
        // After SIGTERM the command is not restarted. A running command may use the other signals for something else,
        // such as SIGHUP to reload.
        let ends = [SIGINT, SIGQUIT, SIGHUP].contains(number)
        if number == SIGTERM || ends && !run.isRunning { run.isEnding = true }
      }
    }
  }

  /// One run of the command.
  private struct Run {
    let child: ChildCommand
    var state = State.running
    /// The versions that it has, or was last notified of.
    var versions: [String: String]
    var since = ContinuousClock.now
    /// Later values than those that it has.
    var pending: [Export]?
    var isEnding = false

    var isRunning: Bool { if case .running = state { true } else { false } }
  }

  private enum End {
    case code(Int32)
    case start([Export])
  }

  private struct NotStarted: Error {
    let failure: Failure
    let code: Int32
  }

  private func start(_ exports: [Export]) throws(NotStarted) -> Run {
    let image = ProgramImage(program, arguments, exports, in: world)
    do throws(ChildCommand.Refusal) {
      return Run(child: try ChildCommand(image, terminal.hardening), versions: exports.versions)
    } catch {
      let (failure, code) = image.failure(error.number)
      throw NotStarted(failure: failure, code: code)
    }
  }

  private func take(_ finding: ExportWatch.Finding, for run: inout Run) {
    if let exports = finding.exports {
      // Values that changed and changed back are those that it has.
      run.pending = exports.versions == run.versions ? nil : exports
    }
    guard let failure = finding.failure else { return }
    terminal.report(failure)
    run.pending = nil
    if case .stopping(let moment, _) = run.state {
      run.state = .stopping(killedAt: moment, .fail)
    } else {
      stop(&run, then: .fail)
    }
  }

  private func stop(_ run: inout Run, then next: Next) {
    run.child.send(SIGTERM)
    run.state = .stopping(killedAt: .now.advanced(by: grace), next)
  }

  private func act(on run: inout Run) {
    switch run.state {
    case .running:
      guard !run.isEnding, let exports = run.pending, .now >= run.since.advanced(by: Self.shortestPause) else { return }
      run.pending = nil
      tell(exports, run.versions)
      guard let signal else { return stop(&run, then: .start(exports)) }
      run.child.send(signal)
      (run.versions, run.since) = (exports.versions, .now)
    case .stopping(let moment?, let next) where .now >= moment:
      run.child.killGroup()
      run.state = .stopping(killedAt: nil, next)
    case .stopping(let moment, .start):
      guard let exports = run.pending else { return }
      run.pending = nil
      run.state = .stopping(killedAt: moment, .start(exports))
    case .stopping: break
    }
  }

  /// In milliseconds; negative for no limit.
  private func pause(of run: Run) -> Int32 {
    let end: ContinuousClock.Instant? =
      switch run.state {
      case .running: run.pending == nil || run.isEnding ? nil : run.since.advanced(by: Self.shortestPause)
      case .stopping(let moment, _): moment
      }
    guard let end else { return -1 }
    let left = max(.zero, ContinuousClock.now.duration(to: end))
    return Int32(clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
  }

  private func afterEnd(of run: Run, _ code: Int32) -> End {
    switch run.state {
    case .running:
      run.child.reap(completely: false)
      return .code(code)
    case .stopping(_, .fail):
      run.child.reap(completely: true)
      return .code(ExitStatus.cannotRun.rawValue)
    case .stopping(_, .start(let exports)):
      run.child.reap(completely: true)
      return run.isEnding ? .code(code) : .start(run.pending ?? exports)
    }
  }

  private func tell(_ exports: [Export], _ versions: [String: String]) {
    guard !terminal.isQuiet else { return }
    let changed = exports.filter { versions[$0.name] != $0.version }.map(\.name)
    let gone = Set(versions.keys).subtracting(exports.map(\.name)).sorted()
    let what = signal == nil ? "Restarting the command" : "Sending the signal"
    terminal.err.write("\(what): \((changed + gone).joined(separator: ", ")) changed.\n")
  }
}
