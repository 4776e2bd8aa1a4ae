internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Imports a value that was changed outside keyplan.
struct Accept: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Import a value changed at a target or source into the store.",
    usage: "keyplan accept [<options>] <address>",
    discussion: """
      For a hot fix made by hand that apply would otherwise revert: the value at the target becomes the key's new \
      value. If the key's source has a different value, that value is rejected: plans warn about it and do not \
      use it. Other names that have the key's earlier value get the new one; with --store-only, the next apply does \
      that. For a key, accept imports the value of its source even if it was rejected or is read only once.

      For example:
        keyplan accept target.app.OPENAI_API_KEY
        keyplan accept key.openai-main
      """
  )
  .parsedAlone

  @Argument(
    help: "target.NAME.ENTRY as drift shows it, or key.NAME for its source.", completion: DeclaredNames.addresses)
  var address: String

  @OptionGroup var change: ChangeOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let address = try RecordedAddress.find(address, in: workspace)
    let amending = try await RecordEdit(workspace, try amendment(at: address, workspace), change.extent)
    guard amending.isIdle, !terminal.isJSON else {
      return try await amending.carryOut(
        change.confirmation, as: "keyplan accept", on: terminal)
    }
    terminal.out.write("Nothing to accept: the value at \(place(address, workspace)) is already recorded.\n")
    return ExitStatus.done.rawValue
  }

  private func amendment(at address: Address, _ workspace: Workspace) throws(Failure) -> Amendment {
    switch address {
    case .entry(let target, let name):
      if let key = workspace.recorded.targets[target]?.entries[name]?.key, workspace.recorded.keys[key] == nil {
        throw Failure(
          .failed, "Not recorded", "The target has the value of \"\(key)\", which is no longer recorded itself.",
          hint: "keyplan plan shows what will happen to \(address).")
      }
      return .acceptTarget(target, name: name)
    case .key(let key):
      guard let declaration = workspace.manifest.keys[key] else {
        throw Failure(.failed, "Not declared", "The manifest does not declare \"\(key)\", so it has no source.")
      }
      guard declaration.generated == nil else {
        throw Failure(
          .failed, "No source", "The value of \"\(key)\" is generated; there is none to accept from a source.",
          hint: Renewal(declaration).sentence(for: key))
      }
      if let parts = declaration.composition?.parts {
        let sourced = parts.first { workspace.manifest.keys[$0]?.sources.isEmpty == false }
        throw Failure(
          .failed, "No source",
          "The value of \"\(key)\" is composed of \(parts.map(\.name).joined(separator: ", ")); there is none to accept from a source.",
          hint: sourced.map { "Accept the value of one of these: keyplan accept key.\($0)" }
            ?? Renewal(declaration).sentence(for: key))
      }
      guard !declaration.sources.isEmpty else {
        throw Failure(
          .failed, "No source", "\"\(key)\" has no source.", hint: Renewal(declaration).sentence(for: key))
      }
      return .acceptSource(key)
    case .target, .slot, .calendar, .recipients, .surface, .migration, .rules, .store:
      throw Failure(
        .usage, "Nothing to accept here", "\(address) is neither a target's entry nor a key.",
        hint: "keyplan drift shows what was changed, such as target.NAME.ENTRY.")
    }
  }

  private func place(_ address: Address, _ workspace: Workspace) -> String {
    guard case .key(let key) = address, let declaration = workspace.manifest.keys[key] else { return "\(address)" }
    return declaration.sources.map(\.description).joined(separator: ", ")
  }
}
