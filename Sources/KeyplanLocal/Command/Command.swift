import FoundationEssentials
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

/// A program that is run for its output.
///
/// It runs in its own session, so that it cannot prompt on the terminal and can be ended with all its child processes.
/// It inherits no descriptors, has no input, and its standard error is discarded, since it might contain the secret.
struct Command: Hashable {
  private let line: CommandLine
  /// The program as written in the manifest.
  private let name: String
  private let timeout: Interval
  private let variables: Set<String>

  init(_ reference: Reference, in context: SourceContext) {
    line = CommandLine(reference, in: context)
    name = reference.arguments.first ?? ""
    timeout = reference.timeout ?? Interval(seconds: 30)
    variables = Set(reference.variables)
  }

  private static let outputLimit = 64 << 10
  private static let inherited: Set<String> = ["PATH", "HOME", "LANG", "TMPDIR"]

  /// Runs the program until it ends or times out; then what is left of it and its child processes is killed.
  func run(in context: SourceContext, asFile: Bool) async -> SourceAnswer {
    // A C string ends at a NUL: another command than the allowed one would run.
    guard !([name] + line.arguments).contains(where: { $0.utf8.contains(0) }) else {
      return .unreachable("The command cannot be run: an argument contains a NUL character.")
    }
    guard let path = line.program else {
      return .unreachable(
        "\(program) was not found. Install it outside of the work tree, or use its full path.")
    }
    guard access(path, X_OK) == 0 || access(path, F_OK) != 0 else {
      return .unreachable("\(program) is not executable. Run: chmod +x \(ShellWord.quoted(name))")
    }
    guard let directory = line.directory.map({ WorkingDirectory(path: $0) }) ?? WorkingDirectory(in: context.variables)
    else { return .unreachable("\(program) could not be started: a temporary directory cannot be created in TMPDIR.") }
    defer { directory.remove() }
    let given = await withTaskGroup(of: SourceAnswer?.self) { group in
      group.addTask { await answer(path, in: directory.path, context, asFile: asFile) }
      group.addTask {
        try? await Task.sleep(for: .seconds(timeout.seconds))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if Task.isCancelled { return .unreachable("\(program) was stopped before it finished.") }
    return given ?? .unreachable("\(program) did not finish within \(timeout.spoken) and was stopped.")
  }

  private func answer(
    _ path: String, in directory: String, _ context: SourceContext, asFile: Bool
  ) async -> SourceAnswer {
    do {
      let ended = try await Subprocess.run(
        .path(FilePath(path)), arguments: Arguments(line.arguments),
        environment: .custom(environment(from: context.variables)), workingDirectory: FilePath(directory),
        platformOptions: Self.options, input: .none, output: .sequence, error: .discarded
      ) { execution in
        try await output(of: execution.standardOutput, asFile: asFile)
      }
      return switch ended.terminationStatus {
      case .exited(0): ended.closureResult
      case .exited(let code): .unreachable("\(program) failed with exit code \(code). Run it manually to see why.")
      case .signaled(let signal): .unreachable("\(program) was terminated by signal \(signal).")
      }
    } catch is TooMuch {
      return .unreadable("\(program) wrote more than 64 KiB.")
    } catch let error as SubprocessError where error.code == .executableNotFound {
      return .unreachable("\(program) was not found. Install it, or use its full path.")
    } catch let error as SubprocessError where error.code == .failedToChangeWorkingDirectory {
      return .unreachable("\(program) could not be started: its working directory is not accessible.")
    } catch {
      // The error's description is not shown: it comes from another library, and its content is unknown.
      return .unreachable("\(program) could not be run.")
    }
  }

  private func output(of stream: SubprocessOutputSequence, asFile: Bool) async throws -> SourceAnswer {
    var bytes: [UInt8] = []
    // The buffer is allocated once, so that no copies of a secret remain in outgrown buffers. The chunks themselves
    // cannot be wiped.
    bytes.reserveCapacity(Self.outputLimit)
    for try await chunk in stream {
      guard bytes.count + chunk.count <= Self.outputLimit else {
        _ = SecretBox(bytes)
        throw TooMuch()
      }
      chunk.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    if asFile, !bytes.isEmpty { return SourceAnswer(file: bytes) }
    dropTrailingNewline(&bytes)
    return SourceAnswer(bytes, whenEmpty: .unreadable("\(program) wrote nothing."))
  }

  private struct TooMuch: Error {}

  private var program: String { name.isEmpty ? "A command without a program" : "\"\(name)\"" }

  private func environment(from all: [String: String]) -> [Environment.Key: String] {
    var given: [Environment.Key: String] = [:]
    for name in Self.inherited.union(variables) {
      // keyplan's own variables may contain the identity that opens the store.
      guard !name.hasPrefix("KEYPLAN_"), let value = all[name], let key = Environment.Key(rawValue: name) else {
        continue
      }
      given[key] = name == "PATH" ? line.searchPath : value
    }
    return given
  }

  private static let options: PlatformOptions = {
    var options = PlatformOptions()
    options.createSession = true
    // There is no need for an orderly end: the program is killed at once, with all processes that it started.
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    return options
  }()
}

/// The working directory of a command: one that the manifest declares, or a private empty one, so that no file of the
/// checkout can configure the program.
private struct WorkingDirectory {
  let path: String
  private var isPrivate = false

  init(path: String) { self.path = path }

  /// Creates an empty directory with mode 0700; nil if that fails.
  init?(in variables: [String: String]) {
    let parent = variables["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array((parent + "/keyplan-command-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { return nil }
    path = String(cString: made)
    isPrivate = true
  }

  /// Removes the private directory and anything that the program left in it.
  func remove() {
    guard isPrivate, rmdir(path) != 0 else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
