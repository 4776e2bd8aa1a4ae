extension PostgresSchema {
  /// The row of a lease: that of the store, or one for an account, with the digest of its name as the third parameter.
  enum LeaseRow { case store, account }

  /// The number of the first parameter after those that identify the row.
  private func first(_ row: LeaseRow) -> Int { row == .store ? 3 : 4 }

  private func table(_ row: LeaseRow) -> String { row == .store ? "\(name).stores" : "\(name).leases" }

  private func condition(_ row: LeaseRow) -> String {
    switch row {
    case .store: Self.mine
    case .account: "store = (SELECT s.id FROM \(name).stores s WHERE \(Self.mine)) AND name = $3"
    }
  }

  /// Takes the lease if it is free, with a token that was never used before.
  func take(_ row: LeaseRow) -> String {
    let first = first(row)
    let isFree = "(l.ends IS NULL OR l.ends < clock_timestamp())"
    let values = (first..<first + 6).map { "$\($0)" }
    switch row {
    case .store:
      return """
        UPDATE \(name).stores AS l SET token = token + 1, host = \(values[0]), process = \(values[1]), \
        command = \(values[2]), job = \(values[3]), since = \(values[4]), claim = \(values[5]), backend = NULL, \
        opened = NULL, server = NULL, seen = clock_timestamp(), ends = \(Self.end) \
        WHERE \(Self.mine) AND \(isFree) RETURNING token
        """
    case .account:
      return """
        INSERT INTO \(name).leases AS l (store, name, token, host, process, command, job, since, claim, seen, ends) \
        SELECT s.id, $3, 1, \(values.joined(separator: ", ")), clock_timestamp(), \(Self.end) FROM \(name).stores s \
        WHERE \(Self.mine) ON CONFLICT (store, name) DO UPDATE SET token = l.token + 1, host = excluded.host, \
        process = excluded.process, command = excluded.command, job = excluded.job, since = excluded.since, \
        claim = excluded.claim, backend = NULL, opened = NULL, server = NULL, seen = excluded.seen, \
        ends = excluded.ends WHERE \(isFree) RETURNING token
        """
    }
  }

  func renew(_ row: LeaseRow) -> String {
    """
    UPDATE \(table(row)) SET seen = clock_timestamp(), ends = \(Self.end) \
    WHERE \(condition(row)) AND token = $\(first(row)) AND ends IS NOT NULL RETURNING token
    """
  }

  func release(_ row: LeaseRow) -> String {
    "UPDATE \(table(row)) SET ends = NULL WHERE \(condition(row)) AND token = $\(first(row))"
  }

  /// Not a condition, which would be evaluated before the wait for the row's lock.
  func releaseClaim(_ row: LeaseRow) -> String {
    "UPDATE \(table(row)) SET ends = CASE WHEN claim = $\(first(row)) THEN NULL ELSE ends END WHERE \(condition(row))"
  }

  func breakLease(_ row: LeaseRow) -> String {
    """
    UPDATE \(table(row)) SET token = token + 1, ends = NULL \
    WHERE \(condition(row)) AND token = $\(first(row)) AND ends >= clock_timestamp() RETURNING token
    """
  }

  func holder(_ row: LeaseRow) -> String {
    """
    SELECT token, host, process, command, job, since, \
    CAST(extract(epoch FROM clock_timestamp() - seen) AS bigint), ends >= clock_timestamp(), claim \
    FROM \(table(row)) WHERE \(condition(row)) LIMIT 1
    """
  }

  /// The accounts' leases that are held, as far as people can look through them.
  var accountHolders: String {
    """
    SELECT token, host, process, command, job, since, \
    CAST(extract(epoch FROM clock_timestamp() - seen) AS bigint), name \
    FROM \(name).leases WHERE store = (SELECT s.id FROM \(name).stores s WHERE \(Self.mine)) \
    AND ends >= clock_timestamp() ORDER BY name LIMIT 1000
    """
  }

  // MARK: The holder's connection

  /// Records the server session of the holder's connection, if server and connection agree on its process number.
  /// Behind a pooler they do not, and a server that cannot list its sessions rejects the statement, which has no
  /// further effect.
  func noteSession(_ row: LeaseRow) -> String {
    let first = first(row)
    return """
      UPDATE \(table(row)) SET (backend, opened, server) = (SELECT a.pid::bigint, a.backend_start, \
      pg_postmaster_start_time() FROM pg_stat_activity a WHERE a.pid = pg_backend_pid() AND a.pid = $\(first + 1)) \
      WHERE \(condition(row)) AND claim = $\(first) AND NOT EXISTS (SELECT FROM pg_stat_activity a \
      WHERE a.pid = backend AND a.backend_start = opened AND a.pid = pg_backend_pid() AND a.pid = $\(first + 1))
      """
  }

  /// Only for a holder whose session is recorded: the same server no longer has it. Most roles cannot see the start
  /// times of other sessions; then a reused process number counts as the holder's.
  private static let isGone = """
    ends >= clock_timestamp() AND backend IS NOT NULL AND server = pg_postmaster_start_time() AND NOT EXISTS \
    (SELECT FROM pg_stat_activity a WHERE a.pid = backend AND (a.backend_start IS NULL OR a.backend_start = opened))
    """

  func gone(_ row: LeaseRow) -> String {
    "SELECT token, backend FROM \(table(row)) WHERE \(condition(row)) AND \(Self.isGone)"
  }

  /// Ends the lease now if its holder's session is still gone. The holder can still renew it.
  func endGone(_ row: LeaseRow) -> String {
    let first = first(row)
    return """
      UPDATE \(table(row)) SET ends = clock_timestamp() - interval '1 microsecond' WHERE \(condition(row)) \
      AND token = $\(first) AND backend = $\(first + 1) AND \(Self.isGone)
      """
  }
}
