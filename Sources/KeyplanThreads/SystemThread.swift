#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread of the system, with all signals blocked but those of a crash: handlers are for the program's own threads, and a
/// connection that breaks off raises SIGPIPE where OpenSSL writes.
///
/// Not a task: one that waits would keep one of Swift's own threads, of which there are few.
package struct SystemThread: Sendable {
  private let thread: pthread_t

  /// There is no thread to be had.
  package struct Refusal: Error, Hashable, Sendable {
    /// An `errno`.
    package let number: Int32
  }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Begins to run `body`. Either `join` or `leave` has to be called, once.
  package init(_ body: @escaping @Sendable () -> Void) throws(Refusal) {
    let start = Unmanaged.passRetained(Start(body))
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    // Those of a crash stay: they are this thread's own.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, signal) }
    // A thread begins with those blocked that its maker has blocked.
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

  /// Waits for its end.
  package func join() { pthread_join(thread, nil) }

  /// Nobody waits for its end.
  package func leave() { pthread_detach(thread) }

  private static func enter(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
    return nil
  }
}
