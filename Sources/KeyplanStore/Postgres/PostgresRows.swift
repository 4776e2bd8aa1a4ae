import KeyplanModel
import KeyplanPorts

/// Sealed rows on a PostgreSQL server: the same rows as those of `SQLiteRows`, and as opaque.
final class PostgresRows: RowStore {
  private let session: PostgresSession
  private let schema: PostgresSchema
  /// The token of the lease for writing. Nil while a store is created, and in tests.
  private let token: Int64?
  /// Leases of accounts that must be held as well.
  private let accounts: [(subject: PostgresLease.Subject, token: Int64)]
  private let isReadOnly: Bool
  /// The purpose of reading: itself, or a commit.
  private let work: PostgresMessages.Work

  init(
    _ session: PostgresSession, _ access: SealedStore.Access, under lock: StoreLock? = nil,
    holding accounts: [StoreLock] = []
  ) {
    self.session = session
    token = lock?.lease?.token
    self.accounts = accounts.compactMap(\.lease).map { ($0.subject, $0.token) }
    isReadOnly = access == .reading
    schema = PostgresSchema(session.address)
    work = .reading
  }

  private init(committing other: PostgresRows) {
    (session, schema, token, accounts) = (other.session, other.schema, other.token, other.accounts)
    (isReadOnly, work) = (other.isReadOnly, .writing)
  }

  func committing() -> any RowStore { PostgresRows(committing: self) }

  private var mine: [PostgresValue] { [.text(session.address.project), .text(session.address.environment)] }

  func read(_ buckets: Buckets, atMost count: Int64 = .max) throws(StoreError) -> (header: Header, rows: [Row]) {
    let (header, rows) = try snapshot(records(in: buckets, Self.limit(count)).map { [$0] } ?? [])
    guard let header else { throw missing }
    return (header, rows.first ?? [])
  }

  func opening(wanting wanted: SealedStore.Wanted) throws(StoreError) -> (header: Header, records: [Row]?) {
    guard let most = wanted.most else { return (try header(), nil) }
    let some = PostgresStatement(schema.fewRecords, mine + [.integer(most.rows), .integer(most.bytes)])
    // Malformed rows are found, and reported, when they are read separately.
    let (header, rows) = try snapshot([some], ignoringMalformed: true)
    guard let header else { throw missing }
    let records = rows[0]
    return (header, Int64(records.count) == header.count ? records : nil)
  }

  func everything(atMost count: Int64 = .max) throws(StoreError) -> StoredRows {
    // A key has the values of its history, and those that are not yet current.
    let values = Self.limit(min(count, .max / 64) * 2 * Int64(KeyRecord.historyLimit + 1))
    let both = [
      PostgresStatement(schema.allRecords, mine + [Self.limit(count)]),
      PostgresStatement(schema.allValues, mine + [values]),
    ]
    let (header, rows) = try snapshot(both)
    guard let header else { throw missing }
    return StoredRows(header: header, records: rows[0], values: rows[1])
  }

  /// One more than there may be.
  private static func limit(_ count: Int64) -> PostgresValue {
    .integer(min(max(0, count), PostgresSchema.mostRows) + 1)
  }

  private func records(in buckets: Buckets, _ limit: PostgresValue) -> PostgresStatement? {
    switch buckets {
    case .none: return nil
    case .all: return PostgresStatement(schema.allRecords, mine + [limit])
    case .some(let numbers):
      let highest = [UInt8](repeating: 255, count: 17)
      let bounds: [PostgresValue] = [
        .allBytes(numbers.map { [$0] }), .allBytes(numbers.map { $0 == 255 ? highest : [$0 + 1] }),
      ]
      return PostgresStatement(schema.someRecords, mine + bounds + [limit])
    }
  }

  /// The header, nil if the store does not exist, and the rows of each selection.
  /// - Parameter ignoringMalformed: whether a selection with malformed rows counts as empty.
  private func snapshot(
    _ selections: [PostgresStatement], ignoringMalformed: Bool = false
  ) throws(StoreError) -> (header: Header?, rows: [[Row]]) {
    let keyring = PostgresStatement(schema.keyring, mine)
    let statements = [PostgresStatement(schema.header, mine), keyring] + selections
    let (header, version, rows) = try session.run(Self.reading(statements), doing: work) {
      answers throws(PostgresFault) in
      var header = try answers[2].count == 0 ? nil : Self.header(answers[2])
      for row in 0..<answers[3].count {
        header?.keyring[try answers[3].text(row, 0)] = [UInt8](try answers[3].bytes(row, 1))
      }
      let version = try answers[2].count == 0 ? nil : answers[2].optionalInteger(0, 7)
      var rows: [[Row]] = []
      for index in selections.indices {
        do throws(PostgresFault) {
          rows.append(try Self.rows(answers[4 + index]))
        } catch {
          guard ignoringMalformed else { throw error }
          rows.append([])
        }
      }
      return (header, version, rows)
    }
    guard version ?? 0 <= Int64(schema.changes.count) else {
      throw StoreError(
        .newerVersion, "The tables of \(session.address.description) were created by a newer version of keyplan.",
        hint: "Use that version, or a later one.")
    }
    return (header, rows)
  }

  func values(_ ids: [RowID]) throws(StoreError) -> [RowID: Row] {
    let limit = Self.limit(Int64(ids.count))
    let wanted = PostgresStatement(schema.values, mine + [.allBytes(ids.map(\.bytes)), limit])
    let rows = try session.run(Self.reading([wanted]), doing: work) { answers throws(PostgresFault) in
      try Self.rows(answers[2])
    }
    return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
  }

  func commit(_ batch: Batch, replacing root: [UInt8]) throws(StoreError) {
    guard !isReadOnly else { throw StoreError(.io, "The store was opened read-only.") }
    let header = batch.header
    let sql = schema.commit(
      replacingKeyring: batch.replacesKeyring, replacingAll: batch.replacesAll, holdingAccounts: !accounts.isEmpty)
    var values = columns(header)
    values += [.bytes(root), .integer(batch.before ?? header.serial - 1), .integer(token)]
    values += Self.arrays(batch.records) + Self.arrays(batch.values)
    values += [.allBytes(batch.removedRecords.map(\.bytes)), .allBytes(batch.removedValues.map(\.bytes))]
    values += Self.files(header)
    if !accounts.isEmpty {
      values += [.allBytes(accounts.compactMap(\.subject.name)), .integers(accounts.map(\.token))]
    }
    let notification = PostgresStatement(schema.notify, [.text(header.store.hexadecimal)])
    // It may run twice, if the connection was lost and the result is unknown: the second time finds another root.
    let isDone = try session.run([PostgresStatement(sql, values)], then: [notification], doing: .writing) {
      answers throws(PostgresFault) in answers[0].count == 1
    }
    if isDone { return }
    guard try PostgresRows(committing: self).snapshot([]).header?.root != header.root else { return }
    try requireLock()
    throw CommitBuilder.moved
  }

  func requireLock() throws(StoreError) {
    if let token { try PostgresLease.require(.store, token, of: session) }
    for account in accounts { try PostgresLease.require(account.subject, account.token, of: session) }
  }

  /// Reclaims the space of deleted rows. Missing permission for that is not an error: the server does it later by
  /// itself.
  func compact() throws(StoreError) {
    for table in ["records", "secrets"] {
      try session.run([PostgresStatement(schema.vacuum(table))], doing: .writing) { _ in }
    }
  }

  /// The root of the store's header, which every commit changes. Without a transaction: it is one row.
  static func root(_ session: PostgresSession) throws(StoreError) -> [UInt8] {
    let rows = PostgresRows(session, .reading)
    let query = PostgresStatement(rows.schema.root, rows.mine)
    let root = try session.run([query], doing: .reading) { answers throws(PostgresFault) in
      answers[0].count == 0 ? nil : [UInt8](try answers[0].bytes(0, 0))
    }
    guard let root else { throw rows.missing }
    return root
  }

  var missing: StoreError {
    let address = session.address
    return StoreError(
      .noStore, "There is no store \(address.project)/\(address.environment) in \(address.description).",
      hint: "keyplan init")
  }

  /// Reads in one transaction see one state, and take no lock for which a writer waits.
  private static func reading(_ statements: [PostgresStatement]) -> [PostgresStatement] {
    let limit = PostgresSession.statementPatience.components.seconds
    return [
      PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
      PostgresStatement("SET LOCAL statement_timeout = '\(limit)s'"),
    ] + statements + [PostgresStatement("COMMIT")]
  }

  private static func header(_ answer: PostgresAnswer) throws(PostgresFault) -> Header {
    Header(
      format: try answer.text(0, 0), store: [UInt8](try answer.bytes(0, 1)), serial: try answer.integer(0, 2),
      epoch: try answer.integer(0, 3), count: try answer.integer(0, 4), buckets: [UInt8](try answer.bytes(0, 5)),
      root: [UInt8](try answer.bytes(0, 6)), keyring: [:])
  }

  private static func rows(_ answer: PostgresAnswer) throws(PostgresFault) -> [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(answer.count)
    for row in 0..<answer.count {
      guard let id = RowID(try answer.bytes(row, 0)) else { throw .malformed }
      rows.append(
        Row(
          id: id, epoch: try answer.integer(row, 1), algorithm: try answer.integer(row, 2),
          sealed: [UInt8](try answer.bytes(row, 3))))
    }
    return rows
  }

  private func columns(_ header: Header) -> [PostgresValue] {
    mine + [
      .text(header.format), .bytes(header.store), .integer(header.serial), .integer(header.epoch),
      .integer(header.count), .bytes(header.buckets), .bytes(header.root),
    ]
  }

  private static func arrays(_ rows: [Row]) -> [PostgresValue] {
    [
      .allBytes(rows.map(\.id.bytes)), .integers(rows.map(\.epoch)), .integers(rows.map(\.algorithm)),
      .allBytes(rows.map(\.sealed)),
    ]
  }

  private static func files(_ header: Header) -> [PostgresValue] {
    let slots = header.keyring.sorted { $0.key < $1.key }
    return [.texts(slots.map(\.key)), .allBytes(slots.map(\.value))]
  }
}

extension PostgresRows {
  /// Creates a store: first missing tables, then all its rows in one statement.
  static func create(_ session: PostgresSession, _ first: Batch) throws(StoreError) -> PostgresRows {
    let rows = PostgresRows(session, .writing)
    let schema = rows.schema
    try makeTables(session)
    let values = rows.columns(first.header) + arrays(first.records) + arrays(first.values) + files(first.header)
    let isDone = try session.run([PostgresStatement(schema.insert, values)], doing: .writing) {
      answers throws(PostgresFault) in answers[0].count == 1
    }
    // Like a commit, it may have run twice.
    let found = isDone ? first.header : try PostgresRows(committing: rows).snapshot([]).header
    guard let found else {
      throw StoreError(
        .exists, "\(session.address.description) already contains this store, for another project or environment.",
        hint: "A schema can contain a store only once. Add schema=NAME to the address, or the right project=NAME.")
    }
    guard found.root == first.header.root else {
      let address = session.address
      throw StoreError(
        .exists, "\(address.description) already contains a store \(address.project)/\(address.environment).",
        hint: "If it belongs to this project, restore keyplan.lock from git. Otherwise add project=NAME to the address."
      )
    }
    return rows
  }

  static func hasTables(_ session: PostgresSession) throws(StoreError) -> Bool { try present(session).tables }

  private static func present(_ session: PostgresSession) throws(StoreError) -> (schema: Bool, tables: Bool) {
    let schema = PostgresSchema(session.address)
    let name = [PostgresValue.text(session.address.schema)]
    let asked = [PostgresStatement(schema.hasSchema, name), PostgresStatement(schema.hasTables, name)]
    return try session.run(asked, doing: .reading) { answers throws(PostgresFault) in
      (try answers[0].integer(0, 0) > 0, try answers[1].integer(0, 0) > 0)
    }
  }

  /// The number of schema changes that were applied; 0 if there are no tables.
  static func version(_ session: PostgresSession) throws(StoreError) -> Int {
    guard try hasTables(session) else { return 0 }
    let query = PostgresStatement(PostgresSchema(session.address).version)
    return try session.run([query], doing: .reading) { answers throws(PostgresFault) in
      Int(clamping: try answers[0].optionalInteger(0, 0) ?? 0)
    }
  }

  /// Creates missing tables: all of them, or those of later versions.
  static func makeTables(_ session: PostgresSession) throws(StoreError) {
    let schema = PostgresSchema(session.address)
    let version = try version(session)
    guard version < schema.changes.count else { return }
    var statements = try present(session).schema ? [] : [PostgresStatement(schema.make)]
    for (index, change) in schema.changes.enumerated().dropFirst(version) {
      statements += change.statements.map { PostgresStatement($0) }
      statements.append(PostgresStatement(schema.noteChange, [.integer(Int64(index + 1)), .text(change.name)]))
    }
    do throws(StoreError) {
      // A group is one transaction: all tables are created, or none.
      try session.run(statements, doing: .making) { _ in }
    } catch {
      // Another `init` may have created them at the same time.
      guard try self.version(session) == schema.changes.count else { throw error }
    }
  }
}

extension SealedStore.Wanted {
  /// The limits on rows and bytes that a server sends along with the header; nil for nothing.
  ///
  /// A few rows are no more than a server sends in its first two flights on a new connection (RFC 6928: 14,600 bytes, then twice as much), with
  /// the header and 55 bytes for each row: more would take longer than to ask for one bucket. A caller that needs all records reads them in any case.
  fileprivate var most: (rows: Int64, bytes: Int64)? {
    switch self {
    case .nothing: nil
    case .few: (150, 30_000)
    case .all: (1 << 14, 1 << 23)
    }
  }
}
