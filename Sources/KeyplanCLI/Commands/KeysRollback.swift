internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Restores an earlier value.
struct KeysRollback: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Make an earlier version of a key's value the current one, or restore a forgotten key.",
    usage: "keyplan keys rollback <name> [--to <version>] [<options>]",
    discussion: """
      The version keeps its number and age. The current value of the key's source is rejected: plans warn about it \
      and ignore it, so that the next apply does not undo the rollback. keyplan accept imports it after \
      all. Targets that have the current value get the earlier one; with --store-only, the next apply does that.

      For example:
        keyplan keys rollback openai-main
        keyplan keys rollback openai-main --to 2
      """)

  @Argument(help: "The key's name.", completion: DeclaredNames.keys)
  var name: String

  @Option(
    help: ArgumentHelp(
      "The version number from `keys history` (default: the one before the current).", valueName: "version"))
  var to: Int64?

  @Option(
    help: ArgumentHelp(
      "The serial at which the key was deleted, if it was deleted more than once (default: the latest).",
      valueName: "serial"))
  var forgotten: Int64?

  @OptionGroup var change: ChangeOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let key = try RecordedAddress.key(name, in: workspace, orForgotten: true)
    let amendment = try amendment(of: key, workspace)
    let edit = try await RecordEdit(workspace, amendment, change.extent)
    if case .rollback(_, let number) = amendment, edit.isIdle, !terminal.isJSON {
      if !terminal.isQuiet {
        terminal.out.write("Nothing to roll back: version \(number) of \(key.whole ?? key) is the current one.\n")
      }
      return ExitStatus.done.rawValue
    }
    return try await edit.carryOut(change.confirmation, as: "keyplan keys rollback", on: terminal)
  }

  private func amendment(of key: Identifier<Key>, _ workspace: Workspace) throws(Failure) -> Amendment {
    let recorded = workspace.recorded
    let parts = WholeKeys(workspace.manifest, recorded, andForgotten: true).parts(of: key)
    let name = key.whole ?? key
    if let declaration = workspace.manifest.keys[key], let parts = declaration.composition?.parts,
      recorded.keys[key] != nil
    {
      // Of a value that is revoked with its part, that is the reason which matters.
      if let to, let known = recorded.keys[key]?.history.first(where: { $0.number == to }),
        let revocation = recorded.keys[key]?.revocation(of: known.fingerprint)
      {
        throw Failure(
          .failed, "Version is revoked", "Version \(to) of \"\(name)\" was \(revocation.words).",
          hint: Renewal(.composed(revocation.part.map { [$0] } ?? parts)).sentence(for: key))
      }
      let earlier = parts.first { part in
        recorded.keys[part]?.facts.composition == nil && PartRecords([part], in: recorded.keys).previous != nil
      }
      throw Failure(
        .failed, "Value is composed",
        "\"\(name)\" is composed of \(parts.map(\.name).joined(separator: ", ")): the next apply would make its value again.",
        hint: earlier.map { "Roll back one of these: keyplan keys rollback \($0)" }
          ?? Renewal(declaration).sentence(for: key))
    }
    if recorded.keys[key] != nil {
      guard forgotten == nil else {
        throw Failure(
          .failed, "Already recorded", "There is already a record of \"\(name)\".",
          hint: "Delete it first with `keyplan keys forget \(name)`; it can be restored for 30 days.")
      }
      return .rollback(key, to: try version(of: PartRecords(parts, in: recorded.keys), name))
    }
    let kept = recorded.forgotten.filter { $0.key == key && workspace.world.now <= $0.end }
    guard let chosen = forgotten == nil ? kept.last : kept.first(where: { $0.serial == forgotten }) else {
      let serials = kept.map { "\($0.serial)" }.joined(separator: ", ")
      throw Failure(
        .failed, "No longer available", "The deleted record of \"\(name)\" is no longer kept.",
        hint: serials.isEmpty ? nil : "Available are the records deleted at these serials: \(serials).")
    }
    if to != nil, to != chosen.record.version.number {
      let together = recorded.forgotten.filter { $0.serial == chosen.serial && parts.contains($0.key) }
      _ = try version(of: PartRecords(together.map { (key: $0.key, record: $0.record) }), name)
    }
    return .restore(chosen, to: to)
  }

  /// - Parameter records: those of all parts of the key, which are rolled back together.
  private func version(of records: PartRecords, _ name: Identifier<Key>) throws(Failure) -> Int64 {
    let hint = "`keyplan keys history \(name)` lists the versions that are kept."
    let current = records.parts.map(\.record.version.number)
    guard let number = to ?? records.previous else {
      throw Failure(
        .failed, "No earlier version", "\"\(name)\" has no version before \(current.max() ?? 1).", hint: hint)
    }
    guard current.contains(where: { $0 != number }) else { return number }
    guard records.canRollBack(to: number) else {
      throw Failure(.failed, "Version not found", "\"\(name)\" has no version \(number).", hint: hint)
    }
    if let revocation = records.revocation(of: number) {
      throw Failure(
        .failed, "Version is revoked", "Version \(number) of \"\(name)\" was \(revocation.words).", hint: hint)
    }
    return number
  }
}
