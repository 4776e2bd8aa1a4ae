import KeyplanApply
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A way to the server that outlives its connections: one is made when it is first needed, and anew when it was lost.
final class PostgresSession: Sendable {
  let address: PostgresAddress
  private let held = Mutex(Held())

  private struct Held {
    var connection: PostgresConnection?
    /// A server that was there once is waited for; one that never answered is not.
    var wasThere = false
    var roundTrips = 0
  }

  /// Whether the server is known not to let its sessions be noted with a lease.
  let refusesNotes = Atomic(false)

  /// Of the connection that there is; -1 for none.
  var descriptor: Int32 { held.withLock { $0.connection?.descriptor ?? -1 } }

  /// How often the server was asked for something; connecting is not counted.
  var roundTrips: Int { held.withLock { $0.roundTrips } }

  /// How long a group of statements may take.
  static let statementPatience = Duration.seconds(60)
  /// How long a server that went away is waited for: as long as a restart or a failover usually takes.
  static let outagePatience = Duration.seconds(20)

  init(_ address: PostgresAddress) { self.address = address }

  /// Runs statements that may be run twice, and reads their answers: after a connection was lost they are run again.
  /// - Parameters:
  ///   - afterwards: statements on their own that nobody waits for.
  ///   - patience: for all of it, a connection that has to be made for it too.
  ///   - isUnwanted: whether it is not waited for any longer; if not said, the work decides.
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
      while true {
        do throws(PostgresFault) {
          let connection =
            if let present = held.connection { present } else {
              try PostgresConnection(
                address, waiting: PostgresWait(min(patience, address.patience), unless: isUnwanted))
            }
          held = Held(connection: connection, wasThere: true, roundTrips: held.roundTrips + 1)
          let wait = PostgresWait(patience, unless: isUnwanted)
          return try read(try connection.run(statements, then: afterwards, waiting: wait))
        } catch {
          // Whatever happened in a session, it is not gone on with: a new one has nothing half done in it.
          let words = PostgresMessages(address, user: held.connection?.user, database: held.connection?.database, work)
          held.connection = nil
          guard Self.mayPass(error, wasThere: held.wasThere), ContinuousClock.now < outage else {
            throw words.error(of: error)
          }
        }
        _ = poll(nil, 0, pause)
        pause = min(250, pause * 2)
        guard !isUnwanted() else {
          throw PostgresMessages(address, user: nil, database: nil, work).error(of: .givenUp)
        }
      }
    }
  }

  private static func mayPass(_ fault: PostgresFault, wasThere: Bool) -> Bool {
    switch fault {
    case .notYet, .turnedAway: true
    case .lost: wasThere
    // Nothing of it happened, because others have all connections, or were at the same rows: at the levels of isolation above
    // PostgreSQL's own default.
    case .refused(let state): state == PostgresFault.full || PostgresFault.contended.contains(state)
    case .late, .givenUp, .malformed: false
    }
  }
}

extension PostgresConnection {
  /// A connection that suits: to a server that is not too old.
  convenience init(_ address: PostgresAddress, waiting wait: PostgresWait) throws(PostgresFault) {
    try self.init(address.connecting, waiting: wait)
    guard serverVersion >= 120_000 else { throw .refused(PostgresMessages.tooOld) }
  }
}
