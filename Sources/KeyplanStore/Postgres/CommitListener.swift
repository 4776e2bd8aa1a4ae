import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Hears of a store's commits as soon as its server announces them (PostgreSQL's LISTEN), on a connection and a thread of its own.
///
/// It only saves the wait until a store is looked at again, which has to go on: an announcement is not authenticated, and one that
/// is made while there is no connection is lost. Standbys and poolers have none.
package final class CommitListener: Sendable {
  private let thread: HeartbeatThread

  /// How long to wait before another connection is tried.
  private static let pause = Duration.seconds(5)
  private static let patience = Duration.seconds(10)
  /// In milliseconds, between two calls of `heard`: a server cannot keep its readers busy.
  private static let rest: Int32 = 200

  /// Nil for a store in a file.
  /// - Parameter heard: called, on the thread, after a commit, and after each new connection, because commits may have been missed.
  package convenience init?(_ location: StoreLocation, heard: @escaping @Sendable () -> Void) {
    guard case .shared(let store) = location else { return nil }
    self.init(store.address, heard: heard)
  }

  private init(_ address: PostgresAddress, heard: @escaping @Sendable () -> Void) {
    let session = Session(address)
    thread = HeartbeatThread(every: Self.pause, isPrompt: true, listening: { session.descriptor }) { isStopped in
      guard let isNews = session.look(Self.patience, unless: isStopped) else { return false }
      if isNews, !isStopped() {
        heard()
        _ = poll(nil, 0, Self.rest)
      }
      return true
    }
  }

  deinit { thread.stop() }

  /// The connection that listens, while there is one.
  final class Session: Sendable {
    private struct State {
      var connection: PostgresConnection?
      /// In hexadecimal digits; nil if it could not be found.
      var store: String?
    }

    private let address: PostgresAddress
    private let state = Mutex(State())

    init(_ address: PostgresAddress) { self.address = address }

    /// -1 if there is no connection.
    var descriptor: Int32 { state.withLock { $0.connection?.descriptor ?? -1 } }

    /// Whether there may have been a commit; nil if the server has no announcements.
    func look(_ patience: Duration, unless isStopped: @escaping @Sendable () -> Bool) -> Bool? {
      state.withLock { state in
        do throws(PostgresFault) {
          if let connection = state.connection {
            return try connection.announcements().contains { $0 == state.store ?? $0 }
          }
          let wait = PostgresWait(patience, unless: isStopped)
          let connection = try PostgresConnection(address, waiting: wait)
          guard let begun = try Self.begin(connection, at: address, waiting: wait) else { return nil }
          state = begun
          return true
        } catch {
          state.connection = nil
          if case .refused(let code) = error, code != PostgresFault.full { return nil }
          return false
        }
      }
    }

    /// Nil behind a pooler.
    private static func begin(
      _ connection: PostgresConnection, at address: PostgresAddress, waiting wait: PostgresWait
    ) throws(PostgresFault) -> State? {
      let mine: [PostgresValue] = [.text(address.project), .text(address.environment), .serverProcess]
      let asked = PostgresStatement(PostgresSchema(address).listening, mine)
      let answer = try connection.run([asked], waiting: wait)[0]
      guard try answer.optionalBool(0, 0) == true else { return nil }
      _ = try connection.run([PostgresStatement(PostgresSchema.listen)], waiting: wait)
      return State(connection: connection, store: try answer.optionalText(0, 1))
    }
  }
}
