package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts

/// Names a plan: the same steps on the same grounds in the same store have the same id, whenever they are planned.
///
/// `kp1-` and 26 characters of base32: 128 bits of an HMAC under the store's plan key over the steps, the store's id and
/// epoch, and the environment. No instant goes in, so an id does not age; nor does what comes and goes with the
/// hour, the refreshing of tokens: approving a plan approves its meaning. Of the last character's five bits three belong to
/// the HMAC; the lowest one says whether the plan was made in an untrusted checkout, where less is compared.
package struct PlanId: Hashable, Sendable, CustomStringConvertible {
  /// `kp1-…`.
  package let description: String

  /// Computes the id of a plan for one store and environment.
  /// - Parameter isTrusted: whether the plan was made in a trusted checkout.
  package init(
    of plan: Plan, store: StoreState, environment: String?, isTrusted: Bool = true, signing: some PlanSigning
  ) {
    var writer = ByteWriter()
    writer.field(1, text: "keyplan/plan-id")
    writer.field(2, if: isTrusted)
    writer.field(3, text: store.id)
    writer.field(4, number: store.epoch)
    writer.field(5, text: environment)
    for step in plan.steps where !step.effect.isUpkeep { writer.field(6) { $0.fields(of: step) } }
    let digest = signing.planCode(of: writer.bytes)
    description = Self.prefix + Self.base32(digest.prefix(16), flag: isTrusted ? 0 : 1)
  }

  /// Whether an id is that of a plan made in a trusted checkout; nil for what is not an id.
  package static func isTrusted(_ text: String) -> Bool? {
    let digits = text.dropFirst(prefix.count).utf8.map { alphabet.firstIndex(of: $0) }
    guard text.hasPrefix(prefix), digits.count == 26, !digits.contains(nil), let last = digits.last ?? nil else {
      return nil
    }
    return last & 1 == 0
  }

  /// Whether another id differs in one or two characters only, as that of another plan practically never does.
  package func isNearly(_ other: String) -> Bool {
    guard other != description, other.utf8.count == description.utf8.count else { return false }
    return zip(description.utf8, other.utf8).count { $0 != $1 } <= 2
  }

  private static let prefix = "kp1-"
  /// Crockford's alphabet in lower case: no letter is taken for a digit.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// - Parameter flag: goes into the lowest of the bits that are left over.
  private static func base32(_ bytes: ArraySlice<UInt8>, flag: UInt32) -> String {
    var text: [UInt8] = []
    var bits = 0
    var held: UInt32 = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[Int(held >> UInt32(bits) & 31)])
      }
    }
    if bits > 0 { text.append(alphabet[Int((held << UInt32(5 - bits) | flag) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
