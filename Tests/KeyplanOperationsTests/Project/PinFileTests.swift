import Foundation
import TestTools
import Testing

@testable import KeyplanOperations
@testable import KeyplanReporting

@Suite("keyplan.lock")
struct PinFileTests {
  private static let store = "0123456789abcdef0123456789abcdef"
  private static let root = "fedcba9876543210fedcba9876543210"
  private static let next = "00112233445566778899aabbccddeeff"

  private func pin(in text: [UInt8], _ scratch: Scratch) throws -> Pin? {
    try Data(text).write(to: URL(filePath: scratch["keyplan.lock"]))
    let world = World(
      mask: 0o022, isAttended: false, endsWithOperation: false, settings: Settings(), console: SilentConsole())
    return try PinFile(in: scratch.path, of: world).pin(for: nil)
  }

  @Test(
    "with any one bit changed names the same store and root key, or another one, or is refused",
    arguments: ["default \(store) \(root)", "default \(store) \(root) next \(next)"])
  func anyBit(line: String) throws {
    let scratch = try Scratch()
    let text = Array("# The store of each environment of keyplan.yaml.\n\(line)\n".utf8)
    let original = try #require(try pin(in: text, scratch))
    let known = Set(original.roots)
    var (refused, others) = (0, 0)
    for index in text.indices {
      for bit in 0..<8 as Range<UInt8> {
        var changed = text
        changed[index] ^= 1 << bit
        do {
          guard let pin = try pin(in: changed, scratch), pin != original else { continue }
          others += 1
          // One of two root keys may be lost, and none comes that was not there.
          let isOther = pin.store != original.store || known.isDisjoint(with: pin.roots)
          let strange = Set(pin.roots).subtracting(known)
          #expect(isOther || strange.count <= 1, "byte \(index), bit \(bit): \(pin)")
          #expect(strange.allSatisfy { root in known.contains { Self.difference($0, root) == 1 } })
        } catch is Failure {
          refused += 1
        }
      }
    }
    #expect(refused > 100 && others > 100, "\(refused), \(others)")
  }

  /// In how many places two texts of one length differ.
  private static func difference(_ one: String, _ other: String) -> Int {
    zip(one.utf8, other.utf8).count { $0 != $1 }
  }
}
