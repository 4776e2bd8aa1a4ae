internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// A value that was changed outside, and is to stay.
struct Accept: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Take a value that was changed at a target or a source into the store.",
    usage: "keyplan accept [<options>] <address>",
    discussion: """
      For a hot fix made by hand, which apply would heal away: what stands at the target becomes the key's new value. If the \
      key's source gives another one, that is rejected: while it gives it, plans warn and take nothing in. Of a source, what \
      was rejected or is followed only once is taken in after all.

      For example:
        keyplan accept target.app.OPENAI_API_KEY
        keyplan accept key.openai-main
      """
  )
  .parsedAlone

  @Argument(
    help: "target.NAME.ENTRY as drift shows it, or key.NAME for its source.", completion: DeclaredNames.addresses)
  var address: String

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    let address = try RecordedAddress.find(address, in: workspace)
    let amending = try await RecordEdit(workspace, try amendment(at: address, workspace))
    guard amending.isIdle, !terminal.isJSON else {
      return try await amending.carryOut(
        confirmation, as: "keyplan accept", on: terminal)
    }
    terminal.out.write("Nothing to accept: what is at \(place(address, workspace)) is recorded.\n")
    return ExitStatus.done.rawValue
  }

  private func amendment(at address: Address, _ workspace: Workspace) throws(Failure) -> Amendment {
    switch address {
    case .entry(let target, let name):
      if let key = workspace.recorded.targets[target]?.entries[name]?.key, workspace.recorded.keys[key] == nil {
        throw Failure(
          .failed, "Not recorded", "The value of \"\(key)\" is recorded there, and \"\(key)\" itself no longer is.",
          hint: "keyplan plan shows what becomes of \(address).")
      }
      return .acceptTarget(target, name: name)
    case .key(let key):
      guard let declaration = workspace.manifest.keys[key] else {
        throw Failure(.failed, "Not declared", "The manifest does not declare \"\(key)\", so it has no source.")
      }
      guard !declaration.sources.isEmpty else {
        throw Failure(
          .failed, "No source", "\"\(key)\" has no source.", hint: "keyplan keys set \(key) gives it a value.")
      }
      return .acceptSource(key)
    case .target, .slot, .calendar, .recipients, .surface, .migration, .rules, .store:
      throw Failure(
        .usage, "Nothing to accept here", "\(address) is neither one name of a target nor a key.",
        hint: "keyplan drift shows what was changed, such as target.NAME.ENTRY.")
    }
  }

  private func place(_ address: Address, _ workspace: Workspace) -> String {
    guard case .key(let key) = address, let declaration = workspace.manifest.keys[key] else { return "\(address)" }
    return declaration.sources.map(\.description).joined(separator: ", ")
  }
}
