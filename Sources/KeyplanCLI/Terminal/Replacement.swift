internal import CProcess
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Another program in this process's place.
struct Replacement {
  private let image: ProgramImage
  private let terminal: Terminal

  init(_ image: ProgramImage, on terminal: Terminal) { (self.image, self.terminal) = (image, terminal) }

  /// Starts the program. Returns only if that failed.
  func start() -> Int32 {
    terminal.hardening.undo()
    _ = keyplan_replace(image.program, image.arguments, &image.variables)
    let (failure, code) = image.failure(errno)
    terminal.report(failure)
    return code
  }
}
