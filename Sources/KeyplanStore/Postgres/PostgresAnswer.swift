import CPostgres

/// The result of a statement. A value of an unexpected type is malformed.
final class PostgresAnswer {
  private let result: OpaquePointer

  /// Takes ownership of the result.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { keyplan_pg_result_free(result) }

  var count: Int { Int(keyplan_pg_result_rows(result)) }

  var state: String? { keyplan_pg_result_state(result).map { String(cString: $0) } }

  func integer(_ row: Int, _ column: Int32) throws(PostgresFault) -> Int64 {
    guard let number = try optionalInteger(row, column) else { throw .malformed }
    return number
  }

  func optionalInteger(_ row: Int, _ column: Int32) throws(PostgresFault) -> Int64? {
    guard let bytes = try value(row, column, 20) else { return nil }
    guard bytes.count == 8 else { throw .malformed }
    return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  func optionalBool(_ row: Int, _ column: Int32) throws(PostgresFault) -> Bool? {
    try value(row, column, 16).map { $0.first == 1 }
  }

  func text(_ row: Int, _ column: Int32) throws(PostgresFault) -> String {
    guard let text = try optionalText(row, column) else { throw .malformed }
    return text
  }

  func optionalText(_ row: Int, _ column: Int32) throws(PostgresFault) -> String? {
    try value(row, column, 25).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ row: Int, _ column: Int32) throws(PostgresFault) -> UnsafeRawBufferPointer {
    guard let bytes = try value(row, column, 17) else { throw .malformed }
    return bytes
  }

  /// Valid as long as this object; nil for NULL.
  private func value(_ row: Int, _ column: Int32, _ type: UInt32) throws(PostgresFault) -> UnsafeRawBufferPointer? {
    guard row < count, column < keyplan_pg_result_columns(result), keyplan_pg_result_type(result, column) == type
    else { throw .malformed }
    var length: Int32 = 0
    let start = keyplan_pg_result_value(result, Int32(row), column, &length)
    return start.map { UnsafeRawBufferPointer(start: $0, count: Int(length)) }
  }
}
