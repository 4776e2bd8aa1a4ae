import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reports commits to a shared store when the server announces them (PostgreSQL's LISTEN), on its own connection and thread.
///
/// It does not replace polling: announcements are not authenticated, and those made while the connection is down are lost. Standby
/// servers and connection poolers do not deliver announcements.
package final class CommitListener: Sendable {
  private let thread: HeartbeatThread

  /// The pause before another connection is tried.
  private static let pause = Duration.seconds(5)
  private static let patience = Duration.seconds(10)
  /// In milliseconds, between two calls of `onCommit`: a server cannot keep its readers busy.
  private static let rest: Int32 = 200

  /// Nil for a store in a file.
  /// - Parameter onCommit: called on the thread after a commit, and after each new connection, because commits may have been missed.
  package convenience init?(_ location: StoreLocation, onCommit: @escaping @Sendable () -> Void) {
    guard case .shared(let store) = location else { return nil }
    self.init(store.address, onCommit: onCommit)
  }

  private init(_ address: PostgresAddress, onCommit: @escaping @Sendable () -> Void) {
    let session = Session(address)
    thread = HeartbeatThread(every: Self.pause, isPrompt: true, listening: { session.descriptor }) { isStopped in
      guard let isNews = session.look(Self.patience, unless: isStopped) else { return false }
      if isNews, !isStopped() {
        onCommit()
        _ = poll(nil, 0, Self.rest)
      }
      return true
    }
  }

  deinit { thread.stop() }

  /// The connection that receives announcements. It is opened again after a failure.
  final class Session: Sendable {
    private struct State {
      var connection: PostgresConnection?
      /// In hexadecimal digits; nil if it could not be found.
      var store: String?
    }

    private let address: PostgresAddress
    private let state = Mutex(State())

    init(_ address: PostgresAddress) { self.address = address }

    /// -1 while not connected.
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

    /// Nil if a pooler is between this process and the server.
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
