import CSpawn
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanThreads

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A run of another program.
///
/// It runs as `StartedProgram` says, with `PATH` without the entries of the work tree.
struct ProgramProcess {
  /// The program as written, for messages.
  let name: String
  /// The program's absolute path; nil if it was not found.
  let path: String?
  /// The arguments after the program.
  let arguments: [String]
  let environment: [String: String]
  /// The working directory, absolute; nil for a private empty one.
  let directory: String?
  var input: SecretBox?
  let timeout: Interval
  /// The maximum size of the standard output in bytes.
  let outputLimit: Int
  /// Whether the rest of the standard output is dropped; otherwise a program that writes more is killed.
  var isOutputCut = false

  static let inherited: Set<String> = ["PATH", "HOME", "LANG", "TMPDIR", "TRACEPARENT"]
  private static let errorLimit = 64 << 10

  /// A program that ended by itself.
  struct End {
    let code: Int32
    let output: SecretBox
    /// Its first 64 KiB.
    let standardError: SecretBox
  }

  /// The reason that a program has no result, as a sentence.
  struct Failure: Error {
    let reason: String
    var wroteTooMuch = false
    /// False if the program certainly did nothing.
    var wasStarted = true
  }

  /// Runs the program until it ends or times out; then kills the rest of it and its child processes.
  func run() async throws(Failure) -> End {
    let path = try checkedPath()
    guard let directory = directory.map({ WorkingDirectory(path: $0) }) ?? WorkingDirectory(in: environment)
    else {
      throw notStarted("a temporary directory cannot be created in TMPDIR")
    }
    defer { directory.remove() }
    guard !Task.isCancelled else { throw stopped(wasStarted: false) }
    guard let stop = StopSignal() else { throw notStarted("too many files are open") }
    return try await withTaskCancellationHandler {
      await onThread { () throws(Failure) in try start(path, in: directory.path).follow(until: stop) }
    } onCancel: {
      stop.send()
    }
    .get()
  }

  /// A separate thread waits: not one of the few threads of Swift's pool, and no child task. A task that sleeps until the time-out and is
  /// cancelled while another runs the program was seen to crash Swift's runtime (6.3).
  private func onThread(
    _ work: @escaping @Sendable () throws(Failure) -> End
  ) async -> Result<End, Failure> {
    await withCheckedContinuation { continuation in
      do throws(SystemThread.Refusal) {
        let thread = try SystemThread { continuation.resume(returning: Result(catching: work)) }
        thread.leave()
      } catch {
        let refusal = StartedProgram.Refusal(step: keyplan_step_preparation, number: error.number)
        continuation.resume(returning: .failure(failure(refusal)))
      }
    }
  }

  private func checkedPath() throws(Failure) -> String {
    // A C string ends at a NUL: another command than the allowed one would run.
    guard !([name] + arguments + environment.values).contains(where: { $0.utf8.contains(0) }) else {
      throw Failure(reason: "The command cannot be run: an argument contains a NUL character.", wasStarted: false)
    }
    guard let path else {
      throw Failure(
        reason: "\(program) was not found. Install it outside of the work tree, or use its full path.",
        wasStarted: false)
    }
    guard access(path, X_OK) == 0 || access(path, F_OK) != 0 else {
      throw Failure(
        reason: "\(program) is not executable. Run: chmod +x \(ShellWord.quoted(name))", wasStarted: false)
    }
    return path
  }

  private func inputPipe() throws(Failure) -> InputPipe? {
    guard let input else { return nil }
    guard let pipe = InputPipe(holding: input) else {
      throw notStarted("its input does not fit into a pipe")
    }
    return pipe
  }

  private func start(_ path: String, in directory: String) throws(Failure) -> Running {
    let input = try inputPipe()
    guard let output = OutputPipe(limit: outputLimit, isCut: isOutputCut),
      let error = OutputPipe(limit: Self.errorLimit, isCut: true)
    else { throw notStarted("too many files are open") }
    defer {
      output.closeWriter()
      error.closeWriter()
    }
    do throws(StartedProgram.Refusal) {
      let started = try StartedProgram(
        path, arguments, environment: environment, directory: directory,
        keyplan_streams(input: input?.reader ?? -1, output: output.programEnd, error: error.programEnd))
      return Running(process: self, program: started, output: output, error: error)
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ refusal: StartedProgram.Refusal) -> Failure {
    switch (refusal.step, refusal.number) {
    case (keyplan_step_execution, ENOENT):
      Failure(reason: "\(program) was not found. Install it, or use its full path.", wasStarted: false)
    case (keyplan_step_directory, _): notStarted("its working directory is not accessible")
    default: notStarted(refusal.reason)
    }
  }

  private func notStarted(_ reason: String) -> Failure {
    Failure(reason: "\(program) could not be started: \(reason).", wasStarted: false)
  }

  private func stopped(wasStarted: Bool) -> Failure {
    Failure(reason: "\(program) was stopped before it finished.", wasStarted: wasStarted)
  }

  /// A program that was started, and its output.
  private struct Running {
    let process: ProgramProcess
    let program: StartedProgram
    let output: OutputPipe
    let error: OutputPipe

    /// Until it has ended. A process that it leaves behind may keep its streams open.
    func follow(until stop: StopSignal) throws(Failure) -> End {
      let ending = keyplan_end_descriptor(program.number)
      defer { if ending >= 0 { close(ending) } }
      let deadline = ContinuousClock.now + .seconds(process.timeout.seconds)
      let failure = collect(until: deadline, stop, ending)
      let end = program.end()
      if let failure { throw failure }
      switch end {
      case .code(let code): return End(code: code, output: output.take(), standardError: error.take())
      case .signal(let signal):
        throw Failure(reason: "\(process.program) was terminated by signal \(signal).")
      }
    }

    /// - Returns: the reason that it has to be killed; nil if it has ended.
    private func collect(until deadline: ContinuousClock.Instant, _ stop: StopSignal, _ ending: Int32) -> Failure? {
      do throws(OutputPipe.TooMuch) {
        while !program.hasEnded {
          guard ContinuousClock.now < deadline else { return process.late }
          guard wait(until: deadline, stop, ending) else { return process.stopped(wasStarted: true) }
          _ = try output.readChunk()
          _ = try error.readChunk()
        }
        try output.readRest()
        try error.readRest()
        return nil
      } catch {
        return Failure(reason: "\(process.program) wrote more than \(process.limitText).", wroteTooMuch: true)
      }
    }

    /// The interval in milliseconds for checking whether it has ended, if no descriptor shows it.
    private static let interval: Int32 = 20

    /// Until something happened.
    /// - Returns: false if the run is to stop.
    private func wait(until deadline: ContinuousClock.Instant, _ stop: StopSignal, _ ending: Int32) -> Bool {
      let wanted = Int16(POLLIN)
      // Descriptors below 0 are ignored.
      var entries = [output.isOpen ? output.reader : -1, error.isOpen ? error.reader : -1, stop.descriptor, ending]
        .map { pollfd(fd: $0, events: wanted, revents: 0) }
      let left = ContinuousClock.now.duration(to: deadline).components
      let milliseconds = Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
      _ = poll(&entries, nfds_t(entries.count), ending < 0 ? min(Self.interval, milliseconds) : milliseconds)
      return entries[2].revents == 0
    }
  }

  private var late: Failure {
    Failure(reason: "\(program) did not finish within \(timeout.spoken) and was stopped.")
  }

  private var program: String { name.isEmpty ? "A command without a program" : "\"\(name)\"" }
  private var limitText: String {
    outputLimit < 1 << 20 ? "\(outputLimit >> 10) KiB" : "\(outputLimit >> 20) MiB"
  }
}
