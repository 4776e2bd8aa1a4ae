internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Reports what a setup made, and asks what it needs to know: `init`, and the first `apply` of a project without a store.
struct SetupReport {
  let terminal: Terminal
  let world: World

  /// Asks whether to create the first store of a project, and creates it.
  func offer(at place: ResolvedStore) async throws {
    let identity = FirstStore.missingIdentity(in: world).map { "  \($0)   your identity\n" } ?? ""
    terminal.err.write(
      "This project has no store yet. `keyplan init` would create:\n\(identity)  \(place.shown)\n  keyplan.lock\n")
    try terminal.confirm(
      "Create it now?", orSay: "keyplan init",
      declined: Failure(
        .interrupted, "Not applied", "The project has no store. Nothing was changed.", hint: "keyplan init"))
    let setup = try await ProjectSetup(in: world)
    let made = try await setup.make()
    if !terminal.isQuiet { terminal.out.write(made.lines.map { "  \($0)\n" }.joined()) }
    try protect(made.project, setup.place, asks: true)
    if !terminal.isQuiet { terminal.out.write("\n") }
  }

  /// Reports files with secrets that git would commit or could replace, and offers to ignore them.
  func protect(_ project: Project, _ place: ResolvedStore, asks: Bool) throws(Failure) {
    let (checks, exposed) = ProjectSetup.exposure(of: project, place, in: world)
    for check in checks {
      terminal.err.write("warning: \(check.detail)\n" + (check.hint.map { "  hint: \($0)\n" } ?? ""))
    }
    guard asks, terminal.mayAsk else { return }
    let helped = exposed.filter { $0.line != nil }
    for (file, lines) in Dictionary(grouping: helped, by: \.ignoreFile).sorted(by: { $0.key < $1.key }) {
      if let done = try IgnoreFile.offer(lines.compactMap(\.line), to: file, in: world) {
        terminal.out.write("  \(done)\n")
      }
    }
  }
}
