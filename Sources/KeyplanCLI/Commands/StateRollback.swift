internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// Restores an earlier value.
struct StateRollback: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Make an earlier version of a key's value the current one, or restore a forgotten key.",
    usage: "keyplan state rollback [<options>] <key>",
    discussion: """
      The version keeps its number and age. The current value of the key's source is rejected: plans warn about it \
      and ignore it, so that the next apply does not undo the rollback. keyplan accept imports it after \
      all.

      For example:
        keyplan state rollback openai-main
        keyplan state rollback openai-main --to 2
      """)

  @Argument(help: "The key.", completion: DeclaredNames.keys)
  var key: String

  @Option(
    help: ArgumentHelp(
      "The version number from `state history` (default: the one before the current).", valueName: "version"))
  var to: Int64?

  @Option(
    help: ArgumentHelp(
      "The serial at which the key was deleted, if it was deleted more than once (default: the latest).",
      valueName: "serial"))
  var forgotten: Int64?

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let key = try RecordedAddress.key(key, in: workspace, orForgotten: true)
    return try await RecordEdit(workspace, try amendment(of: key, workspace)).carryOut(
      confirmation, as: "keyplan state rollback", on: terminal)
  }

  private func amendment(of key: Identifier<Key>, _ workspace: Workspace) throws(Failure) -> Amendment {
    let recorded = workspace.recorded
    if let record = recorded.keys[key] {
      guard forgotten == nil else {
        throw Failure(
          .failed, "Already recorded", "There is already a record of \"\(key)\".",
          hint: "Delete it first with `keyplan state forget key.\(key)`; it can be restored for 30 days.")
      }
      return .rollback(key, to: try version(of: record, key))
    }
    let kept = recorded.forgotten.filter { $0.key == key && workspace.world.now <= $0.end }
    guard let chosen = forgotten == nil ? kept.last : kept.first(where: { $0.serial == forgotten }) else {
      let serials = kept.map { "\($0.serial)" }.joined(separator: ", ")
      throw Failure(
        .failed, "No longer available", "The deleted record of \"\(key)\" is no longer kept.",
        hint: serials.isEmpty ? nil : "Available are the records deleted at these serials: \(serials).")
    }
    if to != nil, to != chosen.record.version.number { _ = try version(of: chosen.record, key) }
    return .restore(chosen, to: to)
  }

  private func version(of record: KeyRecord, _ key: Identifier<Key>) throws(Failure) -> Int64 {
    let hint = "`keyplan state history key.\(key)` lists the versions that are kept."
    guard let number = to ?? record.previous else {
      throw Failure(
        .failed, "No earlier version", "\"\(key)\" has no version before \(record.version.number).", hint: hint)
    }
    guard number != record.version.number else {
      throw Failure(.failed, "Nothing to roll back", "Version \(number) of \"\(key)\" is the current one.", hint: hint)
    }
    guard let version = record.history.first(where: { $0.number == number }) else {
      throw Failure(.failed, "Version not found", "\"\(key)\" has no version \(number).", hint: hint)
    }
    if let revocation = record.revocation(of: version.fingerprint) {
      throw Failure(
        .failed, "Version is revoked", "Version \(number) of \"\(key)\" was \(revocation.words).", hint: hint)
    }
    return number
  }
}
