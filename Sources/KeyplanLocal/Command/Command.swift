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

/// One run of a program for its output.
///
/// It has a session of its own, so that it cannot ask at the terminal and everything it starts can be ended with it. It
/// inherits no descriptor, reads nothing, and its words on standard error go nowhere: they might quote the secret.
struct Command: Hashable {
  private let line: CommandLine
  /// The program as the manifest names it.
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

  /// Runs it to its end or to its time-out; whatever is left of it and its children then is killed.
  func run(in context: SourceContext, asFile: Bool) async -> SourceAnswer {
    // A C string ends at a NUL: another command than the one that was allowed would run.
    guard !([name] + line.arguments).contains(where: { $0.utf8.contains(0) }) else {
      return .unreachable("A command whose arguments hold a NUL character cannot be run.")
    }
    guard let path = line.program else {
      return .unreachable(
        "\(program) was not found. Install it outside the work tree, or write its full path.")
    }
    guard access(path, X_OK) == 0 || access(path, F_OK) != 0 else {
      return .unreachable("\(program) is there and is not executable: chmod +x \(ShellWord.quoted(name))")
    }
    guard let directory = line.directory.map({ WorkingDirectory(path: $0) }) ?? WorkingDirectory(in: context.variables)
    else { return .unreachable("\(program) could not be started: no private directory can be made in TMPDIR.") }
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
    if Task.isCancelled { return .unreachable("\(program) was stopped before it had answered.") }
    return given ?? .unreachable("\(program) did not answer within \(timeout.spoken) and was stopped.")
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
      case .exited(let code): .unreachable("\(program) ended with exit code \(code). Run it by hand to see why.")
      case .signaled(let signal): .unreachable("\(program) was ended by signal \(signal).")
      }
    } catch is TooMuch {
      return .unreadable("\(program) gave more than 64 KiB.")
    } catch let error as SubprocessError where error.code == .executableNotFound {
      return .unreachable("\(program) was not found. Install it, or write its full path.")
    } catch let error as SubprocessError where error.code == .failedToChangeWorkingDirectory {
      return .unreachable("\(program) could not be started: its working directory cannot be entered.")
    } catch {
      // The error's own words are not shown: they are made elsewhere, and nobody here answers for what they hold.
      return .unreachable("\(program) could not be run.")
    }
  }

  private func output(of stream: SubprocessOutputSequence, asFile: Bool) async throws -> SourceAnswer {
    var bytes: [UInt8] = []
    // The room is taken once, so that a secret leaves no copies in outgrown buffers. The chunks themselves cannot be had back.
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
    return SourceAnswer(bytes, whenEmpty: .unreadable("\(program) gave nothing."))
  }

  private struct TooMuch: Error {}

  private var program: String { name.isEmpty ? "A command without a program" : "“\(name)”" }

  private func environment(from all: [String: String]) -> [Environment.Key: String] {
    var given: [Environment.Key: String] = [:]
    for name in Self.inherited.union(variables) {
      // Keyplan's own variables may hold the identity that opens the store.
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
    // Nothing to save: a program that only reads may be killed at once, and with it all that it started.
    options.teardownSequence = [.send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .zero)]
    return options
  }()
}

/// Where a command runs: a directory that the manifest declares, or a private empty one, so that no file of the checkout
/// configures the program.
private struct WorkingDirectory {
  let path: String
  private var isPrivate = false

  init(path: String) { self.path = path }

  /// Makes an empty directory of mode 0700; nil where that cannot be done.
  init?(in variables: [String: String]) {
    let parent = variables["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var template = Array((parent + "/keyplan-command-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { return nil }
    path = String(cString: made)
    isPrivate = true
  }

  /// Removes the private directory with whatever the program left there.
  func remove() {
    guard isPrivate, rmdir(path) != 0 else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
