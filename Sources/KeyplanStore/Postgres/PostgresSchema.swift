import KeyplanPorts

/// The tables of shared stores, and all statements for one schema.
///
/// As with `SchemaChange`, statements are frozen and only appended. Nothing depends on a session, a trigger or a
/// function of our own.
struct PostgresSchema {
  let name: String

  init(_ address: PostgresAddress) { name = PostgresMessages.quoted(address.schema) }

  /// In order; the table `changes` records which of them were applied.
  var changes: [SchemaChange] {
    [
      SchemaChange(
        name: "kp1",
        statements: [
          "CREATE TABLE \(name).changes (number bigint PRIMARY KEY, name text NOT NULL)",
          """
          CREATE TABLE \(name).stores (project text NOT NULL, environment text NOT NULL, format text NOT NULL, \
          id bytea NOT NULL UNIQUE, serial bigint NOT NULL, epoch bigint NOT NULL, count bigint NOT NULL, \
          buckets bytea NOT NULL, root bytea NOT NULL, token bigint NOT NULL DEFAULT 0, host text, process bigint, \
          command text, job text, claim bytea, since bigint, seen timestamptz, ends timestamptz, PRIMARY KEY (project, environment))
          """,
          """
          CREATE TABLE \(name).keyring (store bytea NOT NULL, slot text NOT NULL, file bytea NOT NULL, \
          PRIMARY KEY (store, slot))
          """,
          """
          CREATE TABLE \(name).records (store bytea NOT NULL, id bytea NOT NULL, epoch bigint NOT NULL, \
          algorithm bigint NOT NULL, sealed bytea NOT NULL, PRIMARY KEY (store, id))
          """,
          """
          CREATE TABLE \(name).secrets (store bytea NOT NULL, id bytea NOT NULL, epoch bigint NOT NULL, \
          algorithm bigint NOT NULL, sealed bytea NOT NULL, PRIMARY KEY (store, id))
          """,
        ]),
      SchemaChange(
        name: "leases",
        statements: [
          """
          CREATE TABLE \(name).leases (store bytea NOT NULL, name bytea NOT NULL, token bigint NOT NULL, host text, \
          process bigint, command text, job text, claim bytea, since bigint, seen timestamptz, ends timestamptz, \
          backend bigint, opened timestamptz, server timestamptz, PRIMARY KEY (store, name))
          """,
          """
          ALTER TABLE \(name).stores ADD COLUMN backend bigint, ADD COLUMN opened timestamptz, \
          ADD COLUMN server timestamptz
          """,
        ]),
    ]
  }

  var make: String { "CREATE SCHEMA \(name)" }
  var hasSchema: String { "SELECT count(*) FROM information_schema.schemata WHERE schema_name = $1" }
  var hasTables: String {
    "SELECT count(*) FROM information_schema.tables WHERE table_schema = $1 AND table_name = 'stores'"
  }
  var version: String { "SELECT max(number) FROM \(name).changes" }
  var noteChange: String { "INSERT INTO \(name).changes VALUES ($1, $2)" }

  static let mine = "project = $1 AND environment = $2"

  /// More rows than a store has.
  static let mostRows: Int64 = 1 << 40

  /// The columns read from the tables, which may be views that show anything: of each row no more than `most` bytes, and of all of them
  /// together no more than some bytes for each. Larger values are null, and then refused.
  private static func bounded(
    _ columns: String, _ bytes: String, by order: String, of rows: String, most: Int64, inAll: String
  ) -> String {
    """
    SELECT \(columns), CASE WHEN octet_length(\(bytes)) <= \(most) \
    AND sum(octet_length(\(bytes))::bigint) OVER (ORDER BY \(order)) <= \(inAll) THEN \(bytes) END \
    FROM (\(rows)) AS found ORDER BY \(order)
    """
  }

  var header: String {
    """
    SELECT format, id, serial, epoch, count, CASE WHEN octet_length(format) <= 65536 AND octet_length(id) <= 64 \
    AND octet_length(buckets) <= 65536 AND octet_length(root) <= 4096 THEN buckets END, root, \
    (SELECT max(number) FROM \(name).changes) \
    FROM \(name).stores WHERE \(Self.mine) LIMIT 1
    """
  }
  var root: String {
    "SELECT CASE WHEN octet_length(root) <= 4096 THEN root END FROM \(name).stores WHERE \(Self.mine) LIMIT 1"
  }
  var keyring: String {
    Self.bounded(
      "slot", "file", by: "slot",
      of: "SELECT left(k.slot, 200) AS slot, k.file FROM \(name).stores s JOIN \(name).keyring k ON k.store = s.id "
        + "WHERE \(Self.mine) LIMIT 1000000", most: 1 << 20, inAll: "\(1 << 28)")
  }

  private func select(_ table: String) -> String {
    "SELECT r.id, r.epoch, r.algorithm, r.sealed FROM \(name).stores s JOIN \(name).\(table) r ON r.store = s.id"
  }

  /// - Parameter limit: the number of the parameter with the number of rows.
  private func records(_ rows: String, _ limit: Int) -> String {
    Self.bounded(
      "id, epoch, algorithm", "sealed", by: "id",
      of: "\(rows) WHERE \(Self.mine) ORDER BY r.id LIMIT $\(limit)::bigint",
      most: 1 << 26, inAll: "\(1 << 28) + $\(limit)::bigint * \(1 << 14)")
  }

  private func values(_ condition: String, _ limit: Int) -> String {
    Self.bounded(
      "id, epoch, algorithm", "sealed", by: "id",
      of: "\(select("secrets")) WHERE \(Self.mine)\(condition) ORDER BY r.id LIMIT $\(limit)::bigint", most: 1 << 24,
      inAll: "\(1 << 26) + $\(limit)::bigint * \(1 << 21)")
  }

  var allRecords: String { records(select("records"), 3) }
  /// With the bounds of buckets as two arrays.
  var someRecords: String {
    records(
      select("records") + " JOIN unnest($3::bytea[], $4::bytea[]) AS b(low, high) ON r.id >= b.low AND r.id < b.high", 5
    )
  }
  /// All records, or none if they are more than so many rows or bytes. The count is the server's word, which decides only whether rows
  /// are sent.
  var fewRecords: String {
    """
    SELECT id, epoch, algorithm, sealed FROM (SELECT r.*, sum(octet_length(r.sealed)::bigint) OVER () AS bytes \
    FROM (\(select("records")) WHERE \(Self.mine) AND s.count <= $3::bigint LIMIT $3::bigint) AS r) AS found \
    WHERE bytes <= $4::bigint ORDER BY id
    """
  }
  var allValues: String { values("", 3) }
  var values: String { values(" AND r.id = ANY($3::bytea[])", 4) }

  /// Inserts a store's row together with all others.
  var insert: String {
    """
    WITH fence AS (INSERT INTO \(name).stores (project, environment, format, id, serial, epoch, count, buckets, root) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id), \
    \(put(in: "records", from: 10)), \(put(in: "secrets", from: 14)), \(putFiles(from: 18)) \(Self.durably)
    """
  }

  /// A whole commit as one statement, which is executed completely or not at all, whatever happens to the connection or
  /// in a pooler; and the server never holds a lock while it waits for this process, not even if that is suspended.
  /// Without a row of `fence` nothing is changed.
  /// - Parameter holdingAccounts: whether leases of accounts must be held too. They are renewed in the same statement,
  ///   so that another process cannot take one between the check and the commit.
  func commit(replacingKeyring: Bool, replacingAll: Bool, holdingAccounts: Bool) -> String {
    func removing(_ table: String, _ parameter: Int) -> String {
      let which = replacingAll ? "" : " AND r.id = ANY($\(parameter)::bytea[])"
      return "gone_\(table) AS (DELETE FROM \(name).\(table) r USING fence f WHERE r.store = f.id\(which))"
    }
    let slots =
      "gone_slots AS (DELETE FROM \(name).keyring k USING fence f WHERE k.store = f.id AND k.slot <> ALL($23::text[]))"
    let held = """
      held AS (UPDATE \(name).leases l SET seen = clock_timestamp(), ends = \(Self.end) \
      FROM unnest($25::bytea[], $26::bigint[]) AS w(name, token) \
      WHERE l.store = $4 AND l.name = w.name AND l.token = w.token RETURNING l.name), 
      """
    let isHeld = " AND (SELECT count(*) FROM held) = cardinality($25::bytea[])"
    return """
      WITH \(holdingAccounts ? held : "")fence AS (UPDATE \(name).stores SET format = $3, serial = $5, epoch = $6, count = $7, buckets = $8, root = $9, \
      seen = CASE WHEN $12::bigint IS NULL THEN seen ELSE clock_timestamp() END, \
      ends = CASE WHEN $12::bigint IS NULL THEN ends ELSE \(Self.end) END \
      WHERE \(Self.mine) AND id = $4 AND root = $10 AND serial = $11 AND ($12::bigint IS NULL OR token = $12)\(holdingAccounts ? isHeld : "") \
      RETURNING id), \(removing("records", 21)), \(removing("secrets", 22)), \(put(in: "records", from: 13)), \
      \(put(in: "secrets", from: 17))\(replacingKeyring ? ", \(slots), \(putFiles(from: 23))" : "") \(Self.durably)
      """
  }

  private func put(in table: String, from first: Int) -> String {
    """
    put_\(table) AS (INSERT INTO \(name).\(table) AS r (store, id, epoch, algorithm, sealed) \
    SELECT f.id, n.id, n.epoch, n.algorithm, n.sealed FROM fence f, unnest($\(first)::bytea[], $\(first + 1)::bigint[], \
    $\(first + 2)::bigint[], $\(first + 3)::bytea[]) AS n(id, epoch, algorithm, sealed) \
    ON CONFLICT (store, id) DO UPDATE SET epoch = excluded.epoch, algorithm = excluded.algorithm, sealed = excluded.sealed)
    """
  }

  private func putFiles(from first: Int) -> String {
    """
    put_files AS (INSERT INTO \(name).keyring AS k (store, slot, file) SELECT f.id, n.slot, n.file FROM fence f, \
    unnest($\(first)::text[], $\(first + 1)::bytea[]) AS n(slot, file) \
    ON CONFLICT (store, slot) DO UPDATE SET file = excluded.file)
    """
  }

  /// Returns a row if the statement had an effect. Forces a durable commit even if `synchronous_commit` is off.
  static let durably = """
    SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', true) END \
    FROM fence
    """

  func vacuum(_ table: String) -> String { "VACUUM \(name).\(table)" }

  /// Whether the session is the one that was reported on connecting, and not one that a pooler lends; and the store's id.
  var listening: String {
    "SELECT pg_backend_pid() = $3, (SELECT encode(id, 'hex') FROM \(name).stores WHERE \(Self.mine))"
  }
  static let listen = "LISTEN keyplan"

  /// Notifies listeners of a commit; the store's id is random and reveals nothing.
  var notify: String { "SELECT pg_notify('keyplan', $1)" }

  /// The expiration of a lease without renewal.
  static let end = "clock_timestamp() + interval '15 seconds'"
}
