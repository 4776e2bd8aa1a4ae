internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The arguments and the environment of a program with exported values, in the form of exec(3). The environment is wiped when it is no
/// longer needed.
/// no longer needed.
final class ProgramImage {
  let program: String
  /// With the program's name, and NULL at the end.
  let arguments: [UnsafeMutablePointer<CChar>?]
  /// Mutable for exec(3), with NULL at the end.
  var variables: [UnsafeMutablePointer<CChar>?]

  /// Variables that begin with KEYPLAN_ are not passed on.
  init(_ program: String, _ arguments: [String], _ exports: [Export], in world: World) {
    self.program = program
    let replaced = Set(exports.map(\.name))
    let kept = world.variables.filter { !$0.key.hasPrefix("KEYPLAN_") && !replaced.contains($0.key) }
    variables = kept.map { strdup("\($0.key)=\($0.value)") } + exports.map(\.entry) + [nil]
    self.arguments = ([program] + arguments).map { strdup($0) } + [nil]
  }

  deinit {
    for entry in variables {
      guard let entry else { continue }
      zero(UnsafeMutableRawBufferPointer(start: entry, count: strlen(entry)))
      free(entry)
    }
    for word in arguments { free(word) }
  }

  /// The error for an `errno` of exec(3), and the exit code: 127 if the program does not exist, 126 if it cannot be executed.
  func failure(_ number: Int32) -> (failure: Failure, code: Int32) {
    let failure = Failure(.failed, "Cannot run the command", "\(program): \(String(cString: strerror(number))).")
    return (failure, number == ENOENT ? 127 : 126)
  }
}

extension Export {
  /// `NAME=value` and a NUL.
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
