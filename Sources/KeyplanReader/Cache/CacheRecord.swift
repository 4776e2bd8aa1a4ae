internal import KeyplanClocks
internal import KeyplanSecrets

/// The entry on the disk for one item: the value, and the last failures of its sources.
struct CacheRecord: Sendable {
  var value: Value?
  /// By the source's identity.
  var waits: [String: Wait] = [:]
  /// The time of the request to which a source answered that there is none, or that it may not be read.
  var removed: TimeStamp?

  /// Whether there is nothing to be kept.
  var isEmpty: Bool { value == nil && waits.isEmpty && removed == nil }

  struct Value: Sendable {
    let content: KeySourceValue
    let version: String
    let source: String
    let born: TimeStamp
  }

  private static let form: UInt8 = 1

  /// The text to be sealed. The caller must overwrite it.
  func encoded() -> [UInt8] {
    var writer = Writer(capacity: 512 + (value?.content.value.count ?? 0))
    writer.bytes.append(Self.form)
    writer.flag(value != nil)
    if let value {
      let content = value.content
      writer.number(Int64(content.value.count))
      content.value.withBytes { writer.bytes.append(contentsOf: $0) }
      writer.text(content.name)
      for text in [content.version, content.provider, content.variable] { writer.optional(text) }
      for number in [content.expires, content.endsAt] { writer.optional(number) }
      writer.text(value.version)
      writer.text(value.source)
      writer.stamp(value.born)
    }
    writer.flag(removed != nil)
    if let removed { writer.stamp(removed) }
    writer.number(Int64(waits.count))
    for (source, wait) in waits.sorted(by: { $0.key < $1.key }) {
      writer.text(source)
      writer.number(Int64(wait.failures))
      writer.stamp(wait.since)
      writer.number(wait.pause.inNanoseconds)
      writer.text(wait.detail)
    }
    return writer.bytes
  }

  init(value: Value? = nil, waits: [String: Wait] = [:], removed: TimeStamp? = nil) {
    (self.value, self.waits, self.removed) = (value, waits, removed)
  }

  /// Nil unless it is complete, in this form, and followed by nothing.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = Reader(rest: bytes[...])
    guard reader.byte() == Self.form, let hasValue = reader.flag() else { return nil }
    if hasValue {
      guard let secret = reader.secret(), let name = reader.text(), let version = reader.optionalText(),
        let provider = reader.optionalText(), let variable = reader.optionalText(),
        let expires = reader.optionalNumber(), let endsAt = reader.optionalNumber(), let own = reader.text(),
        let source = reader.text(), let born = reader.stamp()
      else { return nil }
      value = Value(
        content: KeySourceValue(
          secret, name: name, version: version, provider: provider, variable: variable, expires: expires, endsAt: endsAt
        ),
        version: own, source: source, born: born)
    }
    guard let isRemoved = reader.flag() else { return nil }
    if isRemoved {
      guard let stamp = reader.stamp() else { return nil }
      removed = stamp
    }
    guard let count = reader.number(), (0...64).contains(count) else { return nil }
    for _ in 0..<count {
      guard let source = reader.text(), let failures = reader.number(), (1...1_000_000).contains(failures),
        let since = reader.stamp(), let pause = reader.number(), pause >= 0, let detail = reader.text()
      else { return nil }
      waits[source] = Wait(
        failures: Int(failures), since: since, pause: min(.nanoseconds(pause), .seconds(3600)), detail: detail)
    }
    guard reader.rest.isEmpty else { return nil }
  }

  private struct Writer {
    var bytes: [UInt8]

    // Enough for all of it, so that no outgrown buffer with the value remains in memory.
    init(capacity: Int) {
      bytes = []
      bytes.reserveCapacity(capacity * 4)
    }

    mutating func flag(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func number(_ number: Int64) {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func text(_ text: String) {
      number(Int64(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }

    mutating func optional(_ text: String?) {
      flag(text != nil)
      if let text { self.text(text) }
    }

    mutating func optional(_ number: Int64?) {
      flag(number != nil)
      if let number { self.number(number) }
    }

    mutating func stamp(_ stamp: TimeStamp) {
      optional(stamp.start)
      number(stamp.sinceStart)
      number(stamp.wall)
    }
  }

  private struct Reader {
    var rest: Slice<UnsafeRawBufferPointer>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func flag() -> Bool? {
      switch byte() {
      case 0: false
      case 1: true
      default: nil
      }
    }

    mutating func number() -> Int64? {
      guard rest.count >= 8 else { return nil }
      defer { rest = rest.dropFirst(8) }
      return rest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    private mutating func part() -> Slice<UnsafeRawBufferPointer>? {
      guard let count = number(), count >= 0, count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(Int(count)) }
      return rest.prefix(Int(count))
    }

    mutating func text() -> String? { part().flatMap { String(validating: $0, as: UTF8.self) } }

    mutating func secret() -> SecretBox? {
      part().map { SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: $0))) }
    }

    /// Nil if it is malformed.
    mutating func optionalText() -> String?? {
      guard let isPresent = flag() else { return nil }
      guard isPresent else { return .some(nil) }
      return text().map { .some($0) } ?? nil
    }

    mutating func optionalNumber() -> Int64?? {
      guard let isPresent = flag() else { return nil }
      guard isPresent else { return .some(nil) }
      return number().map { .some($0) } ?? nil
    }

    mutating func stamp() -> TimeStamp? {
      guard let start = optionalText(), let sinceStart = number(), let wall = number() else { return nil }
      return TimeStamp(start: start, sinceStart: sinceStart, wall: wall)
    }
  }
}
