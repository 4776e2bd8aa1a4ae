import KeyplanModel
import KeyplanThreads

/// Runs calls that block on a thread of their own.
enum BlockingCalls {
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws(AccessFailure) -> Result
  ) async throws(AccessFailure) -> Result {
    let result: Swift.Result<Result, AccessFailure> = await withCheckedContinuation { continuation in
      do throws(SystemThread.Refusal) {
        try SystemThread { continuation.resume(returning: Swift.Result(catching: body)) }.leave()
      } catch {
        continuation.resume(returning: .failure(AccessFailure(.unreachable, "The system cannot create a thread.")))
      }
    }
    return try result.get()
  }
}
