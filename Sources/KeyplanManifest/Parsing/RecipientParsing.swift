import KeyplanModel
import KeyplanPlanning

extension ManifestParser {
  /// A public key, `{ key: …, can: plan, kms: true }` or `passphrase`.
  mutating func recipient(_ tree: LayeredNode) -> RawRecipient {
    var written: LayeredNode? = tree
    var role = Recipient.Role.full
    var isSealed = false
    if case .mapping = tree.content {
      guard let fields = fields(tree, .recipient) else { return .unreadable }
      written = required("key", of: fields, in: tree)
      role = choice(fields["can"], "can", of: Recipient.Role.allCases) ?? .full
      isSealed = flag(fields["kms"], "kms") ?? false
    }
    guard let written, let text = text(written, "key") else { return .unreadable }
    if text.value == "passphrase" { return .passphrase }
    guard let key = RecipientSyntax.canonical(text.value) else {
      if let plugin = RecipientSyntax.plugin(in: text.value) {
        let isHardware = RecipientSyntax.native.contains(plugin)
        notes.report(
          .invalidValue,
          isHardware
            ? "Recipients for hardware (age1tag1… and age1tagpq1…) are not supported."
            : "Not a valid recipient of an age plugin, which is age1NAME1… in lower case, with its checksum.",
          hint: isHardware ? "Use an age recipient, or an SSH public key: keyplan identity show" : "Copy it again.",
          at: text.place)
        return .unreadable
      }
      if !text.value.hasPrefix("age1") { notes.conceal(text.place) }
      notes.report(
        .invalidValue,
        "Not a valid recipient, which is age1…, age1pq1… or age1NAME1… with its checksum, or an SSH public key (ssh-ed25519 … or ssh-rsa …).",
        hint: "To show yours: keyplan identity show", at: text.place)
      return .unreadable
    }
    return .key(key, can: role, isSealed: isSealed)
  }
}
