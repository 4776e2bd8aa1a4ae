import CSystemd
import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection to a D-Bus session bus. Calls block, and each has a time limit.
struct SessionBus: ~Copyable {
  private let bus: OpaquePointer
  private let limit: UInt64

  /// An error of the bus, of the other program, or of the connection.
  struct Failure: Error {
    /// The D-Bus name: `org.freedesktop.DBus.Error.ServiceUnknown`; empty for an answer of the wrong type.
    let name: String
  }

  /// - Parameter limit: the microseconds for connecting and for each call. By default enough for the bus to start a keyring
  ///   program.
  /// - Throws: for a bus that cannot be reached.
  init(at address: String, limit: UInt64 = 10_000_000) throws(Failure) {
    self.limit = limit
    var bus: OpaquePointer?
    guard SystemdLibrary.fault == nil, keyplan_bus_open(&bus, address, limit) >= 0, let bus else {
      throw Failure(name: "")
    }
    self.bus = bus
  }

  deinit { keyplan_bus_free(bus) }

  /// Calls a method.
  func call<Result>(
    _ member: String, of interface: String, at path: String, on destination: String,
    writing: (inout BusMessage) throws(Failure) -> Void = { (_: inout BusMessage) throws(Failure) in },
    reading: (inout BusMessage) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var made: OpaquePointer?
    guard keyplan_bus_message_new(bus, &made, destination, path, interface, member) >= 0, let made else {
      throw Failure(name: "")
    }
    var message = BusMessage(made)
    try writing(&message)
    var reply: OpaquePointer?
    var name = [CChar](repeating: 0, count: 256)
    guard keyplan_bus_call(bus, message.pointer, limit, &name, name.count, &reply) >= 0, let reply else {
      throw Failure(name: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    var answer = BusMessage(reply)
    return try reading(&answer)
  }
}

/// A message that is written or read value by value. Types are D-Bus's own: `s`, `o`, `a{ss}`.
struct BusMessage: ~Copyable {
  fileprivate let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { keyplan_bus_message_free(pointer) }

  mutating func append(_ text: String, as type: Character = "s") throws(SessionBus.Failure) {
    try check(keyplan_bus_append_text(pointer, Self.byte(type), text))
  }

  mutating func append(_ bytes: SecretBox) throws(SessionBus.Failure) {
    try check(bytes.withBytes { keyplan_bus_append_bytes(pointer, $0.baseAddress, $0.count) })
  }

  mutating func append(_ value: Bool) throws(SessionBus.Failure) {
    try check(keyplan_bus_append_bool(pointer, value ? 1 : 0))
  }

  mutating func append(
    _ type: Character, of contents: String, _ body: (inout BusMessage) throws(SessionBus.Failure) -> Void
  ) throws(SessionBus.Failure) {
    try check(keyplan_bus_begin(pointer, Self.byte(type), contents))
    try body(&self)
    try check(keyplan_bus_end(pointer))
  }

  mutating func text(_ type: Character = "s") throws(SessionBus.Failure) -> String {
    guard let text = try nextText(type) else { throw SessionBus.Failure(name: "") }
    return text
  }

  /// An array of strings or of object paths.
  mutating func texts(_ type: Character) throws(SessionBus.Failure) -> [String] {
    try read("a", of: String(type)) { (message) throws(SessionBus.Failure) in
      var texts: [String] = []
      while let text = try message.nextText(type) { texts.append(text) }
      return texts
    }
  }

  /// Moves bytes into wiped memory, and erases them in the message.
  mutating func secret() throws(SessionBus.Failure) -> SecretBox {
    var bytes: UnsafeRawPointer?
    var count = 0
    try check(keyplan_bus_read_bytes(pointer, &bytes, &count))
    let read = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
    defer { zero(UnsafeMutableRawBufferPointer(mutating: read)) }
    return SecretBox(Secret(copying: read))
  }

  mutating func bool() throws(SessionBus.Failure) -> Bool {
    var value: Int32 = 0
    try check(keyplan_bus_read_bool(pointer, &value))
    return value != 0
  }

  mutating func skip(_ types: String) throws(SessionBus.Failure) { try check(keyplan_bus_skip(pointer, types)) }

  mutating func read<Result>(
    _ type: Character, of contents: String, _ body: (inout BusMessage) throws(SessionBus.Failure) -> Result
  ) throws(SessionBus.Failure) -> Result {
    guard let result = try next(type, of: contents, body) else { throw SessionBus.Failure(name: "") }
    return result
  }

  /// Reads the next element of an array; nil at its end.
  mutating func next<Result>(
    _ type: Character, of contents: String, _ body: (inout BusMessage) throws(SessionBus.Failure) -> Result
  ) throws(SessionBus.Failure) -> Result? {
    let entered = keyplan_bus_enter(pointer, Self.byte(type), contents)
    try check(entered)
    guard entered > 0 else { return nil }
    let result = try body(&self)
    try check(keyplan_bus_leave(pointer))
    return result
  }

  private mutating func nextText(_ type: Character) throws(SessionBus.Failure) -> String? {
    var text: UnsafePointer<CChar>?
    let count = keyplan_bus_read_text(pointer, Self.byte(type), &text)
    try check(count)
    return count > 0 ? text.map { String(cString: $0) } : nil
  }

  private func check(_ result: Int32) throws(SessionBus.Failure) {
    if result < 0 { throw SessionBus.Failure(name: "") }
  }

  private static func byte(_ type: Character) -> CChar { CChar(bitPattern: type.asciiValue ?? 0) }
}
