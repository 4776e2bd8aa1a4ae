#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A POSIX thread with all signals blocked except those of a crash: the program's own threads handle signals, and
/// OpenSSL's writes to a broken connection raise SIGPIPE.
///
/// Used instead of a task for code that blocks, which would occupy one of the few threads of Swift's own pool.
package struct SystemThread: Sendable {
  private let thread: pthread_t

  /// The system could not create a thread.
  package struct Refusal: Error, Hashable, Sendable {
    /// The `errno`.
    package let number: Int32
  }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread that runs `body`. Call either `join` or `leave`, exactly once.
  package init(_ body: @escaping @Sendable () -> Void) throws(Refusal) {
    let start = Unmanaged.passRetained(Start(body))
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    // Signals of a crash are delivered to the thread that causes them.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, signal) }
    // A new thread inherits the signal mask of its creator.
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Glibc)
    var made = pthread_t()
    let number = pthread_create(&made, nil, { Self.enter($0) }, start.toOpaque())
    let thread = number == 0 ? made : nil
    #else
    var thread: pthread_t?
    let number = pthread_create(&thread, nil, { Self.enter($0) }, start.toOpaque())
    #endif
    guard number == 0, let thread else {
      start.release()
      throw Refusal(number: number)
    }
    self.thread = thread
  }

  /// Waits until the thread has ended.
  package func join() { pthread_join(thread, nil) }

  /// Detaches the thread: nothing waits for its end.
  package func leave() { pthread_detach(thread) }

  private static func enter(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
    return nil
  }
}
