internal import CProcess
internal import KeyplanOperations

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The program that opens web pages on this machine.
struct WebBrowser {
  private let program: String
  private let variables: [String]

  /// Nil without a local screen, or without such a program.
  init?(of world: World, on terminal: Terminal) {
    #if os(macOS)
    let (name, hasScreen) = ("open", true)
    #else
    let (name, hasScreen) = ("xdg-open", world.variable("DISPLAY") != nil || world.variable("WAYLAND_DISPLAY") != nil)
    #endif
    guard hasScreen, terminal.err.isTerminal, world.variable("SSH_CONNECTION") == nil, world.variable("CI") == nil,
      let program = Self.find(name, in: world)
    else { return nil }
    self.program = program
    // The browser must not get the variables that open the store.
    variables = world.variables.filter { !$0.key.hasPrefix("KEYPLAN_") }.map { "\($0.key)=\($0.value)" }
  }

  private static func find(_ name: String, in world: World) -> String? {
    (world.variable("PATH") ?? "").split(separator: ":").map { "\($0)/\(name)" }.first {
      $0.hasPrefix("/") && access($0, X_OK) == 0
    }
  }

  /// Starts it without waiting; its output is discarded.
  func open(_ address: String) {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own: Ctrl-C ends the wait here, and not the browser there.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(address), nil]
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var process: pid_t = 0
    _ = posix_spawn(&process, program, &files, &attributes, &arguments, &environment)
  }
}
