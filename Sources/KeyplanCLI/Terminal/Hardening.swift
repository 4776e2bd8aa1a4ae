internal import CProcess
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The first thing in every run, before a secret can be in memory: prevents a crash or a core
/// dump from exposing memory, and makes new files private.
struct Hardening: Sendable {
  /// The umask that the program was started with.
  let mask: mode_t
  private let coreLimit: rlimit

  init() {
    // A closed stream's number would go to the next file that is opened, which would then get the stream's output.
    var descriptor: Int32
    repeat { descriptor = open("/dev/null", O_RDONLY) } while (0...2).contains(descriptor)
    close(descriptor)
    // Swift's backtracer is a signal handler that prints 16 bytes at each register's address: the default action prints nothing.
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT] { signal(number, SIG_DFL) }
    // A closed pipe and a full file are errors of write(2), not the end of an apply.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // If SIGCHLD is ignored, the system keeps no exit codes of child processes.
    signal(SIGCHLD, SIG_DFL)
    var limit = rlimit()
    #if canImport(Glibc)
    getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = keyplan_hide_memory()
    #else
    getrlimit(RLIMIT_CORE, &limit)
    var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
    setrlimit(RLIMIT_CORE, &none)
    #endif
    coreLimit = limit
    mask = umask(0o077)
  }

  /// The process state that keyplan was started with, for a child process.
  func surroundings(giving terminal: Int32) -> keyplan_surroundings {
    keyplan_surroundings(
      mask: UInt32(mask), core_now: UInt64(coreLimit.rlim_cur), core_highest: UInt64(coreLimit.rlim_max),
      terminal: terminal)
  }

  /// Restores the process state that keyplan was started with, for a command that replaces the process.
  func undo() {
    signal(SIGPIPE, SIG_DFL)
    signal(SIGXFSZ, SIG_DFL)
    // Swift's own threads block nearly all signals; a command that inherited the mask could not be interrupted.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    umask(mask)
    var limit = coreLimit
    #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    #else
    setrlimit(RLIMIT_CORE, &limit)
    #endif
  }
}
