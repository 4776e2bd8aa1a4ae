import KeyplanApply
import KeyplanCore
import KeyplanSecrets
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A run of another program.
///
/// It runs in its own session, so that it cannot prompt on the terminal and can be ended with all its child processes.
/// It inherits no descriptors, and `PATH` without the entries of the work tree.
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

  /// Why a program has no result. The reason is a sentence.
  struct Failure: Error {
    let reason: String
    var wroteTooMuch = false
    /// False if the program certainly did nothing.
    var wasStarted = true
  }

  /// Runs the program until it ends or times out; then what is left of it and its child processes is killed.
  func run() async throws(Failure) -> End {
    let path = try checkedPath()
    guard let directory = directory.map({ WorkingDirectory(path: $0) }) ?? WorkingDirectory(in: environment)
    else {
      throw Failure(
        reason: "\(program) could not be started: a temporary directory cannot be created in TMPDIR.", wasStarted: false
      )
    }
    defer { directory.remove() }
    let input = try inputPipe()
    let result = await withTaskGroup(of: Result<End, Failure>?.self) { group in
      group.addTask { await run(path, in: directory.path, input) }
      group.addTask {
        try? await Task.sleep(for: .seconds(timeout.seconds))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if Task.isCancelled { throw Failure(reason: "\(program) was stopped before it finished.") }
    guard let result else {
      throw Failure(reason: "\(program) did not finish within \(timeout.spoken) and was stopped.")
    }
    return try result.get()
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
      throw Failure(
        reason: "\(program) could not be started: its input does not fit into a pipe.", wasStarted: false)
    }
    return pipe
  }

  private func run(_ path: String, in directory: String, _ input: InputPipe?) async -> Result<End, Failure> {
    do {
      let given = FilePath(directory)
      guard let input else { return try await run(path, in: given, reading: .none) }
      return try await run(
        path, in: given, reading: .fileDescriptor(input.reader, closeAfterSpawningProcess: false))
    } catch is TooMuchOutput {
      return .failure(Failure(reason: "\(program) wrote more than \(limitText).", wroteTooMuch: true))
    } catch let error as SubprocessError where error.code == .executableNotFound {
      return .failure(
        Failure(reason: "\(program) was not found. Install it, or use its full path.", wasStarted: false))
    } catch let error as SubprocessError where error.code == .failedToChangeWorkingDirectory {
      return .failure(
        Failure(
          reason: "\(program) could not be started: its working directory is not accessible.", wasStarted: false))
    } catch {
      // The error's description is not shown: it comes from another library, and its content is unknown.
      return .failure(Failure(reason: "\(program) could not be run."))
    }
  }

  private func run(
    _ path: String, in directory: FilePath, reading input: some InputProtocol
  ) async throws -> Result<End, Failure> {
    let ended = try await Subprocess.run(
      .path(FilePath(path)), arguments: Arguments(arguments), environment: .custom(keys), workingDirectory: directory,
      platformOptions: Self.options, input: input, output: .sequence, error: .sequence
    ) { execution in
      try await withThrowingTaskGroup(of: (Bool, SecretBox).self) { group in
        group.addTask {
          do {
            return (true, try await execution.standardOutput.bytes(limit: outputLimit, cutting: isOutputCut))
          } catch let error as TooMuchOutput {
            // Otherwise the standard error would be read until the program ends by itself.
            try? execution.send(signal: .kill, toProcessGroup: true)
            throw error
          }
        }
        group.addTask {
          (false, try await execution.standardError.bytes(limit: Self.errorLimit, cutting: true))
        }
        var (output, standardError) = (SecretBox([]), SecretBox([]))
        for try await (isOutput, bytes) in group {
          if isOutput { output = bytes } else { standardError = bytes }
        }
        return (output, standardError)
      }
    }
    // A group keeps its number while it has members. A process that left the session, such as an agent, is not killed.
    kill(-ended.processIdentifier.value, SIGKILL)
    return switch ended.terminationStatus {
    case .exited(let code):
      .success(End(code: code, output: ended.closureResult.0, standardError: ended.closureResult.1))
    case .signaled(let signal): .failure(Failure(reason: "\(program) was terminated by signal \(signal)."))
    }
  }

  private var program: String { name.isEmpty ? "A command without a program" : "\"\(name)\"" }
  private var limitText: String {
    outputLimit < 1 << 20 ? "\(outputLimit >> 10) KiB" : "\(outputLimit >> 20) MiB"
  }

  private var keys: [Environment.Key: String] {
    var keys: [Environment.Key: String] = [:]
    for (name, value) in environment {
      if let key = Environment.Key(rawValue: name) { keys[key] = value }
    }
    return keys
  }

  private static let options: PlatformOptions = {
    var options = PlatformOptions()
    options.createSession = true
    // An orderly end is not needed: the program is killed at once, with all processes that it started.
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    return options
  }()
}
