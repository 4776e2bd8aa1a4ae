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
  /// - Parameter afterwards: statements on their own that nobody waits for.
  func run<Result: Sendable>(
    _ statements: [PostgresStatement], then afterwards: [PostgresStatement] = [],
    within patience: Duration = statementPatience, doing work: PostgresWords.Work,
    reading read: ([PostgresAnswer]) throws(PostgresFault) -> Result
  ) throws(StoreError) -> Result {
    try PostgresLibrary.need()
    return try held.withLock { held throws(StoreError) in
      let outage = ContinuousClock.now.advanced(by: Self.outagePatience)
      var pause: Int32 = 50
      while true {
        do throws(PostgresFault) {
          let connection = if let present = held.connection { present } else { try PostgresConnection(address) }
          held = Held(connection: connection, wasThere: true, roundTrips: held.roundTrips + 1)
          let deadline = ContinuousClock.now.advanced(by: patience)
          return try read(try connection.run(statements, then: afterwards, before: deadline))
        } catch {
          // Whatever happened in a session, it is not gone on with: a new one has nothing half done in it.
          let words = PostgresWords(address, user: held.connection?.user, database: held.connection?.database, work)
          held.connection = nil
          guard Self.mayPass(error, wasThere: held.wasThere), ContinuousClock.now < outage else {
            throw words.error(of: error)
          }
        }
        _ = poll(nil, 0, pause)
        pause = min(1000, pause * 2)
      }
    }
  }

  private static func mayPass(_ fault: PostgresFault, wasThere: Bool) -> Bool {
    switch fault {
    case .notYet: true
    case .lost: wasThere
    // Nothing of it happened, because others were at the same rows: at the levels of isolation above PostgreSQL's own default.
    case .refused(let state): PostgresFault.contended.contains(state)
    case .late, .malformed: false
    }
  }
}

extension PostgresConnection {
  /// A connection that suits: to a server that is not too old.
  convenience init(_ address: PostgresAddress) throws(PostgresFault) {
    try self.init(address.connecting, before: ContinuousClock.now.advanced(by: address.patience))
    guard serverVersion >= 120_000 else { throw .refused(PostgresWords.tooOld) }
  }
}
