import KeyplanPorts
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Access to a server across connections: one is made when it is first needed, and again after it was lost.
final class PostgresSession: Sendable {
  let address: PostgresAddress
  private let held = Mutex(Held())

  private struct Held {
    var connection: PostgresConnection?
    /// Whether a connection has succeeded before: only then does it wait for the end of an outage.
    var wasThere = false
    var roundTrips = 0
  }

  /// Whether the server rejects the recording of sessions.
  let refusesNotes = Atomic(false)

  /// The socket of the current connection; -1 if there is none.
  var descriptor: Int32 { held.withLock { $0.connection?.descriptor ?? -1 } }

  /// The number of round trips, without connecting.
  var roundTrips: Int { held.withLock { $0.roundTrips } }

  /// The limit for a group of statements.
  static let statementPatience = Duration.seconds(60)
  /// The time to wait for a server that became unreachable: the usual time of a restart or failover.
  static let outagePatience = Duration.seconds(20)

  init(_ address: PostgresAddress) { self.address = address }

  /// Runs idempotent statements and reads their results. They are repeated after a lost connection.
  /// - Parameters:
  ///   - afterwards: further statements, whose results are ignored.
  ///   - patience: the limit for everything, including connecting.
  ///   - isUnwanted: returns true to stop waiting; by default determined by `work`.
  func run<Result: Sendable>(
    _ statements: [PostgresStatement], then afterwards: [PostgresStatement] = [],
    within patience: Duration = statementPatience, doing work: PostgresMessages.Work,
    unless isUnwanted: (@Sendable () -> Bool)? = nil,
    reading read: ([PostgresAnswer]) throws(PostgresFault) -> Result
  ) throws(StoreError) -> Result {
    try PostgresLibrary.need()
    let isUnwanted = isUnwanted ?? { work.isUnwanted }
    return try held.withLock { held throws(StoreError) in
      let outage = ContinuousClock.now.advanced(by: min(patience, Self.outagePatience))
      var pause: Int32 = 50
      var login: PostgresLogin?
      while true {
        do throws(PostgresFault) {
          let connection =
            if let present = held.connection { present } else {
              try PostgresConnection(
                address, waiting: PostgresWait(min(patience, address.patience), unless: isUnwanted)
              ) { login = $0 }
            }
          held = Held(connection: connection, wasThere: true, roundTrips: held.roundTrips + 1)
          let wait = PostgresWait(patience, unless: isUnwanted)
          return try read(try connection.run(statements, then: afterwards, waiting: wait))
        } catch {
          // After any error the session is dropped: a new one has no unfinished work.
          let words = PostgresMessages(address, held.connection?.login ?? login, work)
          held.connection = nil
          guard Self.mayPass(error, wasThere: held.wasThere), ContinuousClock.now < outage else {
            throw words.error(of: error)
          }
        }
        _ = poll(nil, 0, pause)
        pause = min(250, pause * 2)
        guard !isUnwanted() else {
          throw PostgresMessages(address, login, work).error(of: .givenUp)
        }
      }
    }
  }

  private static func mayPass(_ fault: PostgresFault, wasThere: Bool) -> Bool {
    switch fault {
    case .notYet, .turnedAway: true
    case .lost: wasThere
    // Nothing was executed, because there was no free connection, or because of a conflict at an isolation level above
    // PostgreSQL's default.
    case .refused(let state): state == PostgresFault.full || PostgresFault.contended.contains(state)
    case .late, .givenUp, .malformed: false
    }
  }
}

extension PostgresConnection {
  /// Connects, and rejects servers that are too old.
  convenience init(
    _ address: PostgresAddress, waiting wait: PostgresWait, beginning: (PostgresLogin?) -> Void = { _ in }
  ) throws(PostgresFault) {
    try self.init(address.connecting, waiting: wait, beginning: beginning)
    guard serverVersion >= 120_000 else { throw .refused(PostgresMessages.tooOld) }
  }
}
