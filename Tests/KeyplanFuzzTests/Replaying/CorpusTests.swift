import Foundation
import TestTools
import Testing

/// What libFuzzer (`scripts/fuzz.sh`) does for hours, in seconds: the inputs that it found, and each of them damaged at random.
@Suite("Bytes from outside") struct CorpusTests {
  static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Corpus")

  static func inputs(of entry: FuzzEntry) -> [(name: String, bytes: [UInt8])] {
    let folder = corpus.appendingPathComponent(entry.name)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      (try? Data(contentsOf: folder.appendingPathComponent(name))).map { ("\(entry.name)/\(name)", Array($0)) }
    }
  }

  @Test("each input of the corpus is read or refused as it should be", arguments: FuzzEntry.all.map(\.name))
  func corpus(_ name: String) throws {
    let entry = try #require(FuzzEntry.all.first { $0.name == name })
    let inputs = Self.inputs(of: entry)
    #expect(!inputs.isEmpty, "Corpus/\(name) is missing")
    for (name, bytes) in inputs { check(entry, bytes, name) }
    check(entry, [], "nothing")
  }

  @Test("each input that is damaged is read or refused as it should be", arguments: FuzzEntry.all.map(\.name))
  func damaged(_ name: String) throws {
    let entry = try #require(FuzzEntry.all.first { $0.name == name })
    let variables = ProcessInfo.processInfo.environment
    let seed = variables["KEYPLAN_TEST_SEED"].flatMap { UInt64($0) } ?? 1
    var mutator = Mutator(seed: seed, inputs: Self.inputs(of: entry).map(\.bytes))
    for round in 0..<(variables["KEYPLAN_TEST_FAULTS"] == "all" ? 20_000 : 400) {
      check(entry, mutator.next(longest: entry.longest), "KEYPLAN_TEST_SEED=\(seed), round \(round)")
    }
  }

  @Test("the corpus is small, and has no folder that nothing reads") func size() throws {
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path))
    #expect(names == Set(FuzzEntry.all.map(\.name)))
    #expect(FuzzEntry.all.flatMap(Self.inputs).reduce(0) { $0 + $1.bytes.count } < 500_000)
  }

  private func check(_ entry: FuzzEntry, _ bytes: [UInt8], _ what: String) {
    do throws(Violation) {
      try entry.check(bytes)
    } catch {
      let input = Data(bytes).base64EncodedString()
      Issue.record("\(what): \(error)\nThe input in Base64, for a file in Corpus/\(entry.name)/: \(input)")
    }
  }
}
