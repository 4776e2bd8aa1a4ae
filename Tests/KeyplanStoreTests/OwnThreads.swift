import Foundation

/// A thread for each piece of work: what waits there keeps no other test waiting.
final class OwnThreads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
