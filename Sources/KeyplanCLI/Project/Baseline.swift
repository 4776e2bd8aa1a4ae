internal import FoundationEssentials
internal import KeyplanCore
internal import KeyplanFiles
internal import KeyplanReporting

/// Findings that people know and accept until a date. A file for git: no value, sorted, made by `drift --write-baseline`.
struct Baseline: Codable, Sendable {
  private var formatVersion = 1
  let findings: [Entry]

  struct Entry: Codable, Hashable, Sendable {
    let address: Address
    let kind: Finding.Kind
    /// ISO 8601: until when it does not count.
    let until: String

    var end: Moment? { Moment(until) }
  }

  private static let limit = 16 << 20

  /// All of these findings, until one moment.
  init(_ all: [Finding], until: Moment) {
    findings = all.sorted().map { Entry(address: $0.address, kind: $0.kind, until: until.description) }
  }

  /// - Throws: `Failure` for what is no baseline.
  init(reading path: String, in world: World) throws(Failure) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.read(world.absolute(path), limit: Self.limit)
    } catch {
      throw Failure(error, "Baseline cannot be read")
    }
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)), read.formatVersion == 1,
      read.findings.allSatisfy({ $0.end != nil })
    else {
      throw Failure(
        .failed, "Not a baseline", "\(path) is no baseline of this version: findings with address, kind and until.",
        hint: "Write one: keyplan drift --write-baseline FILE --until DATE")
    }
    self = read
  }

  /// Whether bytes are a baseline, of whatever version.
  static func isBaseline(_ bytes: [UInt8]) -> Bool { (try? JSONDecoder().decode(Self.self, from: Data(bytes))) != nil }

  func write(to file: ResultFile, in world: World) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    let isNew = !world.fileExists(file.path)
    try file.write(bytes, in: world)
    if isNew { world.publish(file.path) }
  }
}
