#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread that does something at intervals, whatever the rest of the process waits for. Not a task: all threads of those
/// may be busy for longer than the interval.
final class Heart: Sendable {
  private let wake: (reading: Int32, writing: Int32)
  private let thread: pthread_t?

  /// - Parameters:
  ///   - listening: a descriptor on which nothing comes but what asks for a beat at once; -1 for none.
  ///   - beat: answers whether to go on.
  init(
    every interval: Duration, listening: @escaping @Sendable () -> Int32 = { -1 }, beat: @escaping @Sendable () -> Bool
  ) {
    var ends: [Int32] = [-1, -1]
    // Without one it could not be stopped. Then nothing is heard of the holder, and its lock ends: nothing worse.
    guard pipe(&ends) == 0 else {
      (wake, thread) = ((-1, -1), nil)
      return
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let milliseconds = Int32(interval.components.seconds * 1000)
    let (reading, writing) = (ends[0], ends[1])
    wake = (reading, writing)
    thread = Self.start {
      repeat {
        // Until it is time, something is said, or the other end was closed.
        var watched = [reading, listening()].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&watched, 2, milliseconds)
        guard watched[0].revents == 0 else { return }
      } while beat()
    }
  }

  /// Waits for a beat that is under way.
  func stop() {
    close(wake.writing)
    if let thread { pthread_join(thread, nil) }
    close(wake.reading)
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    // Signals are for the program's own threads.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    for number in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, number) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let context = Unmanaged.passRetained(Body(body))
    #if canImport(Glibc)
    var thread = pthread_t()
    let number = pthread_create(&thread, nil, { Heart.enter($0) }, context.toOpaque())
    #else
    var thread: pthread_t?
    let number = pthread_create(&thread, nil, { Heart.enter($0) }, context.toOpaque())
    #endif
    guard number == 0 else {
      context.release()
      return nil
    }
    return thread
  }

  private static func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
    return nil
  }
}
