import KeyplanModel
import KeyplanPlanning

/// The recipients who can open the values of keys: `recipients` of a key, or of a slot for all its candidates.
extension ManifestValidator {
  mutating func readReaders(among recipients: [Identifier<Recipient>: Recipient]?) {
    guard !raw.slotRecipients.isEmpty || raw.keys.contains(where: { $0.value.recipients != nil }) else { return }
    var named: [Identifier<Key>: String] = [:]
    for key in raw.keys {
      guard let written = key.value.recipients else { continue }
      notes.subject = .key(key.name)
      readers[key.name] = known(written, among: recipients)
      named[key.name] = "the key itself names"
    }
    for slot in raw.slots {
      guard let written = raw.slotRecipients[slot.name] else { continue }
      notes.subject = .slot(slot.name)
      guard let own = known(written, among: recipients) else { continue }
      for candidate in slot.value ?? [] {
        guard let key = Identifier<Key>(candidate.value) else { continue }
        if let other = named[key], let names = readers[key], names != own {
          notes.report(
            .conflict,
            "The value of \"\(key)\" is for the recipients of this slot, and \(other) others.",
            hint: "Name the same recipients in both, or in one of them.", at: candidate.place)
        }
        if readers[key] == nil { readers[key] = own }
        named[key] = named[key] ?? "active.\(slot.name) names"
      }
    }
    notes.subject = nil
  }

  /// Sorted; nil if there is an error.
  private mutating func known(
    _ names: [Located<String>], among recipients: [Identifier<Recipient>: Recipient]?
  ) -> [Identifier<Recipient>]? {
    var found: Set<Identifier<Recipient>> = []
    for name in names {
      guard let id = Identifier<Recipient>(name.value), let recipient = recipients?[id] else {
        // Unreadable and unsupported recipients are reported at their declaration.
        if raw.recipients?.contains(where: { $0.name.name == name.value }) == true { continue }
        undeclared(
          "recipient", name, hint: "Declare it under `recipients`, with its public key.",
          among: { $0.raw.recipients?.map(\.name.name) ?? [] })
        continue
      }
      guard recipient.role == .full else {
        notes.report(
          .conflict, "\"\(id)\" can only plan, and opens no value.", hint: "Name recipients with full access.",
          at: name.place)
        continue
      }
      if !found.insert(id).inserted {
        notes.report(.conflict, "\"\(id)\" is listed twice.", at: name.place)
      }
    }
    return found.isEmpty ? nil : found.sorted()
  }
}
