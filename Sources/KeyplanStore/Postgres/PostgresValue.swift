import CPostgres

/// A parameter of a statement in PostgreSQL's binary format; never part of the SQL or of an error.
enum PostgresValue {
  case text(String)
  case bytes([UInt8])
  case integer(Int64?)
  /// The connection's server process, which is known when the statement is sent.
  case serverProcess
  case texts([String])
  case allBytes([[UInt8]])
  case integers([Int64])

  /// The OID of the type (`pg_type.dat`), which is part of the protocol.
  var type: UInt32 {
    switch self {
    case .bytes: 17
    case .integer, .serverProcess: 20
    case .text: 25
    case .allBytes: 1001
    case .texts: 1009
    case .integers: 1016
    }
  }

  private static let null: Int32 = -1

  /// Appends the bytes and returns their number; -1 for NULL.
  func append(to buffer: inout [UInt8], over connection: PostgresConnection) -> Int32 {
    let start = buffer.count
    switch self {
    case .text(let text): buffer.append(contentsOf: text.utf8)
    case .bytes(let bytes): buffer.append(contentsOf: bytes)
    case .integer(nil): return Self.null
    case .serverProcess: buffer.append(bigEndian: UInt64(bitPattern: Int64(connection.serverProcess)))
    case .integer(let number?): buffer.append(bigEndian: UInt64(bitPattern: number))
    case .texts(let texts):
      Self.appendHead(of: texts.count, 25, to: &buffer)
      for text in texts {
        buffer.append(bigEndian: UInt32(text.utf8.count))
        buffer.append(contentsOf: text.utf8)
      }
    case .allBytes(let all):
      Self.appendHead(of: all.count, 17, to: &buffer)
      buffer.reserveCapacity(buffer.count + all.reduce(0) { $0 + $1.count + 4 })
      for bytes in all {
        buffer.append(bigEndian: UInt32(bytes.count))
        buffer.append(contentsOf: bytes)
      }
    case .integers(let numbers):
      Self.appendHead(of: numbers.count, 20, to: &buffer)
      for number in numbers {
        buffer.append(bigEndian: UInt32(8))
        buffer.append(bigEndian: UInt64(bitPattern: number))
      }
    }
    return Int32(buffer.count - start)
  }

  /// The header of `array_send`: number of dimensions, whether there are NULLs, the elements' type; then length and
  /// lower bound.
  private static func appendHead(of count: Int, _ type: UInt32, to buffer: inout [UInt8]) {
    for number in [count == 0 ? 0 : 1, 0, type] { buffer.append(bigEndian: number) }
    if count > 0 { for number in [UInt32(count), 1] { buffer.append(bigEndian: number) } }
  }
}

/// A statement with its parameters.
struct PostgresStatement {
  let sql: String
  let values: [PostgresValue]

  init(_ sql: String, _ values: [PostgresValue] = []) {
    self.sql = sql
    self.values = values
  }
}
