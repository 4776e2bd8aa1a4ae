import Foundation
import KeyplanModel
import KeyplanPlanning
import KeyplanYAML
import Testing

@testable import KeyplanManifest

/// A value in every place where one could be put by mistake.
@Suite struct CanaryTests {
  @Test(
    "whatever scalar of a manifest is replaced by a secret, nothing that is said or quoted holds it",
    arguments: ["zq7XkP2mW9vLr4Tn8bYs", "sk-ant-api03-Zq7mW2xK9vB4nT6yH8jL", "Zq7mW2/xK9vB4+nT6yH8jL=="])
  func everyScalar(canary: String) throws {
    for name in ["complete.yaml", "forms.yaml"] {
      let bytes = Array(try Data(contentsOf: fixtures.appending(path: "accepted/\(name)")))
      let ranges = scalars(try #require(try Node.parse(bytes)))
      #expect(ranges.count > 50)
      for range in ranges {
        let planted =
          Array(bytes[..<range.lowerBound]) + Array("\"\(canary)\"".utf8) + Array(bytes[range.upperBound...])
        let text = ManifestReader.Text(file: "keyplan.yaml", bytes: planted)
        let reading = reader.read(base: text)
        #expect(!told(reading).contains(canary), "\(told(reading))")
        let lines = RedactedLines([text], of: reading, by: reader)
        for place in reading.diagnostics.compactMap(\.place) {
          let line = lines[place]
          #expect(line?.contains(canary) == false, "\(line ?? "no line")")
        }
      }
    }
  }

  @Test("a manifest that is cut off anywhere is read or refused, and never crashes the reader") func cutOff() throws {
    let bytes = Array(try Data(contentsOf: fixtures.appending(path: "accepted/complete.yaml")))
    for end in stride(from: 0, to: bytes.count, by: 7) {
      let reading = reader.read(base: .init(file: "keyplan.yaml", bytes: Array(bytes[..<end])))
      #expect((reading.manifest == nil) == reading.diagnostics.contains { $0.code.severity == .error }, "\(end)")
    }
  }

  private func scalars(_ node: Node) -> [Range<Int>] {
    switch node.content {
    case .scalar: node.start.offset < node.end.offset ? [node.start.offset..<node.end.offset] : []
    case .sequence(let nodes): nodes.flatMap { scalars($0) }
    case .mapping(let entries): entries.flatMap { scalars($0.key) + scalars($0.value) }
    }
  }
}
