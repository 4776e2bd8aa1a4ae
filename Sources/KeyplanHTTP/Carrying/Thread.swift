#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread of the system.
enum Thread {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread that nobody waits for, with all signals blocked but those of a crash: handlers are for the
  /// program's own threads, and a connection that breaks off raises SIGPIPE where OpenSSL writes.
  /// - Returns: an `errno` if there is no thread to be had.
  static func start(_ body: @escaping @Sendable () -> Void) -> Int32? {
    let start = Unmanaged.passRetained(Start(body))
    let number = begin(start.toOpaque())
    if number != 0 { start.release() }
    return number == 0 ? nil : number
  }

  private static func begin(_ start: UnsafeMutableRawPointer) -> Int32 {
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    // Those of a crash stay: they are this thread's own.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, signal) }
    // A thread begins with those blocked that its maker has blocked.
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Glibc)
    var thread = pthread_t()
    let number = pthread_create(&thread, nil, { Thread.enter($0) }, start)
    if number == 0 { pthread_detach(thread) }
    #else
    var thread: pthread_t?
    let number = pthread_create(&thread, nil, { Thread.enter($0) }, start)
    if let thread { pthread_detach(thread) }
    #endif
    return number
  }

  private static func enter(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
    return nil
  }
}
