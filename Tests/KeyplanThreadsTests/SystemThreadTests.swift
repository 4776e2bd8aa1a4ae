import Foundation
import KeyplanThreads
import Synchronization
import Testing

@Suite("A thread of the system")
struct SystemThreadTests {
  /// Which signals the calling thread has blocked.
  private static func blocked() -> Set<Int32> {
    var now = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &now)
    return Set([SIGPIPE, SIGINT, SIGTERM, SIGSEGV, SIGABRT].filter { sigismember(&now, $0) == 1 })
  }

  @Test("is left alone by signals but those of a crash, and leaves its maker as it was")
  func signals() throws {
    let before = Self.blocked()
    let seen = Mutex<Set<Int32>?>(nil)
    try SystemThread { seen.withLock { $0 = Self.blocked() } }.join()
    #expect(seen.withLock { $0 } == [SIGPIPE, SIGINT, SIGTERM])
    #expect(Self.blocked() == before)
  }

  @Test("lets go of what it was given when it ends, and runs although nobody waits for it")
  func given() async throws {
    final class Held: Sendable {}
    func start() throws -> (Weak, SystemThread) {
      let held = Held()
      return (Weak(held), try SystemThread { withExtendedLifetime(held) {} })
    }
    final class Weak {
      weak var held: Held?
      init(_ held: Held) { self.held = held }
    }
    let (weak, thread) = try start()
    thread.join()
    #expect(weak.held == nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      do { try SystemThread { continuation.resume() }.leave() } catch {
        Issue.record(error)
        continuation.resume()
      }
    }
  }
}
