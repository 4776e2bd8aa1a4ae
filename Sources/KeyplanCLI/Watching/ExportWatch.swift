internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting
internal import Synchronization

/// Reads the values of a selection again whenever one of them is another one, in a task of its own.
final class ExportWatch: Sendable {
  /// A finding that was not processed yet.
  struct Finding {
    /// The latest values.
    var exports: [Export]?
    /// A key has become unavailable. This is the last finding.
    var failure: Failure?
  }

  private let finding = Mutex(Finding())
  private let follower: StoreFollower
  private let selection: ExportSelection
  private let versions: [String: String]
  private let interval: Duration
  private let console: WatchConsole

  /// - Parameter exports: the values in use.
  init(
    _ follower: StoreFollower, _ selection: ExportSelection, from exports: [Export], every interval: Duration,
    on terminal: Terminal
  ) {
    (self.selection, versions, self.interval) = (selection, exports.versions, interval)
    console = WatchConsole(terminal)
    self.follower = follower.reporting(to: console)
  }

  /// Returns and clears the finding since the last call.
  func take() -> Finding {
    finding.withLock { finding in
      defer { finding = Finding() }
      return finding
    }
  }

  /// Looks until the task is cancelled, and wakes `SignalPipe` for each finding.
  func start() -> Task<Void, Never> { Task.detached { await self.look() } }

  private func look() async {
    var (follower, versions) = (follower, versions)
    while true {
      await follower.wait(atMost: interval)
      guard !Task.isCancelled else { return }
      do throws(Failure) {
        let recorded = try await follower.recorded()
        console.forget()
        if let exports = try await self.exports(in: recorded, of: follower, unless: versions) {
          versions = exports.versions
          post { $0.exports = exports }
        }
      } catch {
        console.warn(.notReadable(error, "The command keeps running with the values that it has."))
      }
      guard finding.withLock({ $0.failure == nil }) else { return }
    }
  }

  /// The values, if their versions differ.
  private func exports(
    in recorded: Recorded, of follower: StoreFollower, unless versions: [String: String]
  ) async throws(Failure) -> [Export]? {
    do throws(Failure) {
      guard try follower.versions(selection, in: recorded) != versions else { return nil }
      return try await follower.exports(selection)
    } catch {
      guard error.isAboutKey else { throw error }
      post { $0.failure = error }
      return nil
    }
  }

  private func post(_ change: (inout Finding) -> Void) {
    finding.withLock { change(&$0) }
    SignalPipe.wake()
  }
}

extension [Export] {
  /// By the names of variables.
  var versions: [String: String] { Dictionary(map { ($0.name, $0.version) }) { first, _ in first } }
}
