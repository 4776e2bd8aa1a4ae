internal import CProcess
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Another program in this process's place, with exported values in its environment.
struct Replacement {
  private let program: String
  private let arguments: [String]
  private let exports: [Export]
  private let terminal: Terminal
  private let world: World

  init(_ program: String, _ arguments: [String], _ exports: [Export], on terminal: Terminal, in world: World) {
    self.program = program
    self.arguments = arguments
    self.exports = exports
    self.world = world
    self.terminal = terminal
  }

  /// Starts the program. Returns only if that failed: 127 where there is no such program, 126 where it cannot be run.
  func start() -> Int32 {
    let replaced = Set(exports.map(\.name))
    let kept = world.variables.filter { !$0.key.hasPrefix("KEYPLAN_") && !replaced.contains($0.key) }
    var entries = kept.map { strdup("\($0.key)=\($0.value)") }
    entries += exports.map(\.entry)
    var words = ([program] + arguments).map { strdup($0) }
    entries.append(nil)
    words.append(nil)
    terminal.hardening.undo()
    _ = keyplan_replace(program, &words, &entries)
    let reason = errno
    terminal.report(
      Failure(.failed, "Cannot run the command", "\(program): \(String(cString: strerror(reason)))."))
    return reason == ENOENT ? 127 : 126
  }
}

extension Export {
  /// `NAME=value` and a NUL, in memory that the new program's image replaces.
  fileprivate var entry: UnsafeMutablePointer<CChar>? {
    let prefix = Array("\(name)=".utf8)
    return value.withBytes { bytes in
      let memory = malloc(prefix.count + bytes.count + 1)?.assumingMemoryBound(to: CChar.self)
      guard let memory else { return nil }
      memcpy(memory, prefix, prefix.count)
      if let base = bytes.baseAddress { memcpy(memory + prefix.count, base, bytes.count) }
      memory[prefix.count + bytes.count] = 0
      return memory
    }
  }
}
