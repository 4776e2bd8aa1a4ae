internal import KeyplanDocuments
internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// Makes a key the first of a slot.
package struct SlotChoice {
  package let key: String
  package let slot: String
  /// Whether the slot is a new one.
  package let isNew: Bool

  /// - Parameter named: the requested slot; nil infers the slot.
  package init(_ key: String, named: String?, in files: ManifestFiles) throws(Failure) {
    self.key = key
    let known = Self.slots(of: files)
    if let named {
      slot = named
    } else {
      let holders = known.filter { slot in Self.candidates(of: slot, in: files).contains(key) }
      let only = holders.count == 1 ? holders.first : known.count == 1 ? known.first : known.isEmpty ? "default" : nil
      guard let only else {
        throw Failure(
          .usage, "Slot not specified",
          "\(files.base.shown) has \(known.count) slots: \(known.joined(separator: ", ")).",
          hint: "Name one: `keyplan keys activate \(key) SLOT`, or --activate SLOT where the key is added.")
      }
      slot = only
    }
    isNew = !known.contains(slot)
    guard isNew, Identifier<Slot>(slot) == nil || Suggestion.nearest(to: slot, among: known) != nil else { return }
    guard Identifier<Slot>(slot) != nil else {
      throw Failure(.usage, "Invalid slot name", Failure.nameRule("A slot"))
    }
    throw Failure(
      .failed, "Slot not found", "The manifest has no slot \"\(slot)\".",
      hint: Suggestion.nearest(to: slot, among: known).map {
        "Did you mean \($0)? To add a new slot with a similar name, edit `active` by hand."
      })
  }

  /// A new slot for an imported key.
  init(_ key: String, newSlot: String) { (self.key, slot, isNew) = (key, newSlot, true) }

  /// The slots of the manifest, as the file that is edited sees them, sorted.
  private static func slots(of files: ManifestFiles) -> [String] {
    let upper = files.environment == nil ? [] : files.edited.text.slots
    return Set(files.base.text.slots + upper).sorted()
  }

  private static func candidates(of slot: String, in files: ManifestFiles) -> [String] {
    files.edited.text.candidates(of: slot) ?? files.base.text.candidates(of: slot) ?? []
  }

  /// Puts the key first. A single key is replaced; in a list the others remain as fallbacks.
  /// Returns false if it is already the first.
  package func make(in files: inout ManifestFiles) throws(Failure) -> Bool {
    let now = Self.candidates(of: slot, in: files)
    guard now.first != key else { return false }
    let isList = now.count > 1 || isWrittenAsList(in: files)
    let value: YAMLText.Value = isList ? .list([key] + now.filter { $0 != key }) : .scalar(key)
    let text = files.edited.text
    if let path = text.slotPath(slot) {
      try files.edit(\.edited) { text throws(DocumentError) in try text.replace(path, with: value) }
      return true
    }
    guard !files.base.text.hasOneSlot || files.environment == nil || text.form(of: ["active"]) != nil else {
      return try makeShort(value, in: &files)
    }
    try files.edit(\.edited) { text throws(DocumentError) in
      if text.hasOneSlot { try text.nest(["active"], under: "default") }
      try text.insert(
        "\(slot): \(Self.written(value))", into: ["active"], after: ManifestOrder.before("active"))
    }
    try ManifestTemplate.end(.active, in: &files)
    return true
  }

  private func isWrittenAsList(in files: ManifestFiles) -> Bool {
    let text = files.edited.text.slotPath(slot) == nil ? files.base.text : files.edited.text
    if case .list = text.slotPath(slot).flatMap({ text.form(of: $0) }) { return true }
    return false
  }

  /// If the manifest's `active` has the short form for one slot, so must an overlay's: a mapping would replace it completely.
  private func makeShort(_ value: YAMLText.Value, in files: inout ManifestFiles) throws(Failure) -> Bool {
    guard slot == "default" else {
      throw Failure(
        .failed, "Not edited", "In \(files.base.shown), `active` is the short form for the single slot \"default\".",
        hint: "Change it to a mapping first: active: { default: … }")
    }
    try files.edit(\.edited) { text throws(DocumentError) in
      try text.insert("active: \(Self.written(value))", into: [], after: ManifestOrder.before("active"))
    }
    return true
  }

  private static func written(_ value: YAMLText.Value) -> String {
    switch value {
    case .scalar(let key): YAMLText.quoted(key)
    case .list(let keys): "[" + keys.map { YAMLText.quoted($0, inBrackets: true) }.joined(separator: ", ") + "]"
    }
  }

  /// Notes on the environments whose overlays set the slot themselves, which is not changed.
  package func notes(_ files: ManifestFiles) -> [String] {
    guard files.environment == nil else { return [] }
    return files.overlays.compactMap { overlay in
      guard let first = overlay.text.candidates(of: slot)?.first, first != key else { return nil }
      let place = overlay.shown(overlay.text.slotPath(slot).flatMap { overlay.text.place(of: $0) })
      return "\(place) sets active.\(slot) to \(first), which remains unchanged."
    }
  }
}
