public import KeyplanCore

/// Names a plan: the same steps on the same grounds in the same store have the same id, whenever they are planned.
///
/// `kp1-` and 26 characters of base32: 128 bits of an HMAC under the store's plan key over the steps in canonical form, the
/// store's id and epoch, and the environment. No instant goes in, so an id does not age; nor does what comes and goes with the
/// hour, the refreshing of tokens: who approves a plan approves what it means.
public struct PlanId: Hashable, Sendable, CustomStringConvertible {
  /// `kp1-…`.
  public let description: String

  /// Computes the id of a plan for one store and environment.
  public init(of plan: Plan, store: StoreState, environment: String?, signing: some PlanSigning) {
    var writer = CanonicalWriter()
    writer.text("keyplan/kp1/plan-id")
    writer.text(store.id)
    writer.number(store.epoch)
    writer.text(environment)
    writer.list(plan.steps.filter { !$0.effect.isUpkeep }) { $0.step($1) }
    let digest = signing.signature(of: writer.bytes)
    description = "kp1-" + Self.base32(digest.prefix(16))
  }

  /// Crockford's alphabet in lower case: no letter is taken for a digit.
  private static func base32(_ bytes: ArraySlice<UInt8>) -> String {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
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
    if bits > 0 { text.append(alphabet[Int(held << UInt32(5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
