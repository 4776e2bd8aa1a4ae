internal import FoundationEssentials
internal import KeyplanFiles
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanReporting

/// Known findings that are ignored until a date. A file for git: sorted, without values, written by `drift --write-baseline`.
package struct Baseline: Codable, Sendable {
  private var formatVersion = 1
  package let findings: [Entry]

  package struct Entry: Codable, Hashable, Sendable {
    package let address: Address
    package let kind: Finding.Kind
    /// ISO 8601: until when it does not count.
    package let until: String

    package var end: Moment? { Moment(until) }
  }

  private static let limit = 16 << 20

  /// All of these findings, until one moment.
  package init(_ all: [Finding], until: Moment) {
    findings = all.sorted().map { Entry(address: $0.address, kind: $0.kind, until: until.description) }
  }

  /// - Throws: `Failure` if it is not a baseline.
  package init(reading path: String, in world: World) throws(Failure) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.read(world.absolute(path), limit: Self.limit)
    } catch {
      throw Failure(error, "Cannot read the baseline")
    }
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)), read.formatVersion == 1,
      read.findings.allSatisfy({ $0.end != nil })
    else {
      throw Failure(
        .failed, "Not a baseline", "\(path) is not a baseline of this version (findings with address, kind and until).",
        hint: "Write one: keyplan drift --write-baseline FILE --until DATE")
    }
    self = read
  }

  /// Whether bytes are a baseline, of any version.
  package static func isBaseline(_ bytes: [UInt8]) -> Bool {
    (try? JSONDecoder().decode(Self.self, from: Data(bytes))) != nil
  }

  /// The file's content.
  package func bytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}
