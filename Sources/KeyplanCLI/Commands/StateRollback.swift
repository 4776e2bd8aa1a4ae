internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// A value that was recorded before.
struct StateRollback: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Make an earlier version of a key's value the current one, or restore a forgotten key.",
    usage: "keyplan state rollback [<options>] <key>",
    discussion: """
      The version keeps its number and its age. The value that a source gives now is rejected: while the source gives it, \
      plans warn and take nothing in, so that the next apply does not undo the rollback. keyplan accept takes it in after all.

      For example:
        keyplan state rollback openai-main
        keyplan state rollback openai-main --to 2
      """)

  @Argument(help: "The key.", completion: DeclaredNames.keys)
  var key: String

  @Option(
    help: ArgumentHelp(
      "The version, as `state history` numbers it; else the one before the current one.", valueName: "version"))
  var to: Int64?

  @Option(
    help: ArgumentHelp(
      "Of a key that was forgotten more than once: the serial that forgot the one to restore; else the latest.",
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
          .failed, "Recorded already", "\"\(key)\" is recorded, and only one record can have the name.",
          hint: "`keyplan state forget key.\(key)` makes room; what is forgotten can be restored for 30 days.")
      }
      return .rollback(key, to: try version(of: record, key))
    }
    let kept = recorded.forgotten.filter { $0.key == key && workspace.world.now <= $0.end }
    guard let chosen = forgotten == nil ? kept.last : kept.first(where: { $0.serial == forgotten }) else {
      let serials = kept.map { "\($0.serial)" }.joined(separator: ", ")
      throw Failure(
        .failed, "No longer kept", "What was forgotten of \"\(key)\" is no longer kept.",
        hint: serials.isEmpty ? nil : "Kept is what these serials forgot: \(serials).")
    }
    if to != nil, to != chosen.record.version.number { _ = try version(of: chosen.record, key) }
    return .restore(chosen, to: to)
  }

  private func version(of record: KeyRecord, _ key: Identifier<Key>) throws(Failure) -> Int64 {
    let hint = "`keyplan state history key.\(key)` lists what is kept."
    guard let number = to ?? record.previous else {
      throw Failure(
        .failed, "No earlier version", "No version of \"\(key)\" before \(record.version.number) is kept.", hint: hint)
    }
    guard number != record.version.number else {
      throw Failure(.failed, "Nothing to roll back", "Version \(number) of \"\(key)\" is the current one.", hint: hint)
    }
    guard record.history.contains(where: { $0.number == number }) else {
      throw Failure(.failed, "No such version", "Version \(number) of \"\(key)\" is not kept.", hint: hint)
    }
    return number
  }
}
