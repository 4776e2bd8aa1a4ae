internal import KeyplanFiles
package import KeyplanModel
internal import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
package import Darwin
#endif

/// Checks files, folders and programs by their names and modes only.
package enum WorkspaceChecks {
  /// Anyone who can write to the manifest's folder controls keyplan.
  package static func folder(_ path: String) -> Check {
    var status = stat()
    guard stat(path, &status) == 0 else { return .error(.folder, "Cannot read the status of \(path).", hint: nil) }
    let isShared = status.st_mode & S_ISVTX != 0
    if status.st_mode & 0o002 != 0, !isShared {
      return .warning(
        .folder, "\(path) is writable by all users, who could replace the manifest.",
        hint: "chmod o-w -- \(ShellWord.quoted(path))")
    }
    return .ok(.folder, "the manifest's folder is not world-writable")
  }

  /// Whether git ignores the store; nil for a store that is neither in a work tree nor in the manifest's folder.
  package static func ignored(_ store: String, in folder: String, _ world: World) -> Check? {
    let inner = Project.relative(Project.parent(of: store), to: folder)
    let isAlone = !inner.hasPrefix("/")
    // A single file next to others, or a folder that belongs to the store.
    let shown = isAlone ? inner + "/" : Project.relative(store, to: folder)
    switch WorkTree.handling(of: [store])[store] ?? handling(of: store, in: folder) {
    case .ignored: return .ok(.ignored, "\(shown) is git-ignored")
    case .added:
      return .warning(
        .ignored, "\(shown) is not git-ignored: the store would be committed.",
        hint: "printf '%s\\n' \(ShellWord.quoted(isAlone ? shown : shown + "*")) >> .gitignore")
    case .tracked:
      return .warning(
        .ignored, "git tracks \(Project.relative(store, to: folder)): the store is committed.",
        hint: ExposedFile.hint(forTracked: Project.relative(store, to: folder)))
    case .unknown:
      return .warning(
        .ignored, ExposedFile.detail(ofUnknown: shown) + " The store could be committed.",
        hint: ExposedFile.unknownHint)
    case .ignoredUnlessTracked, nil: return nil
    }
  }

  /// Without a repository yet, the effect of its ignore files.
  private static func handling(of store: String, in folder: String) -> WorkTree.Handling? {
    let (store, folder) = (Project.real(store), Project.real(folder))
    guard store.hasPrefix(folder + "/") else { return nil }
    var budget = IgnoreRules.Budget()
    guard var rules = try? IgnoreRules(root: folder, exclude: nil, within: &budget),
      let isIgnored = try? rules.ignores(Array(Project.relative(store, to: folder).utf8), within: &budget)
    else { return .unknown }
    return isIgnored ? .ignored : .added
  }

  /// A store that git can replace: checkout overwrites ignored files silently if a branch has a file of the same name.
  package static func replaceable(store file: String, shown: String) -> Check? {
    guard isInWorkTree(file) else { return nil }
    return .warning(
      .store,
      "\(shown) is in a git work tree. Checking out a branch that has a file of this name replaces the store, although git ignores it.",
      hint: "Move it out of the work tree: keyplan store move --to FILE")
  }

  /// The same of an identity.
  package static func replaceable(identity file: String) -> Check? {
    guard isInWorkTree(file) else { return nil }
    return .warning(
      .identity, "\(file) is in a git work tree: checking out a branch that has a file of this name replaces it.",
      hint: "Move it out of the work tree, and name it with --identity FILE or KEYPLAN_IDENTITY.")
  }

  private static func isInWorkTree(_ file: String) -> Bool {
    (try? WorkTree(containing: Project.parent(of: Project.real(file)))) != nil
  }

  /// One finding for each target that cannot be written, or a single one if all can.
  package nonisolated(nonsending) static func targets(
    of manifest: Manifest, _ kinds: [any SecretTarget], allowed: Surface
  ) async -> [Check] {
    var found: [Check] = []
    var open: [Check] = []
    var writable = 0
    for (name, target) in manifest.targets.sorted(by: { $0.key < $1.key }) {
      let destination = target.destination
      // A request to a service contains a credential, so its terms would have to be checked.
      guard let kind = kinds.first(where: { $0.scheme == destination.type && $0.connection == nil }),
        destination.surface.map(allowed.contains) ?? true
      else { continue }
      let names = Set(target.entries.flatMap(manifest.possibleNames))
      let sight = await kind.look(
        TargetQuestion(intent: .init(setting: names, removing: [])), at: destination)
      let writeBlockers = sight.writeBlockers
      if let obstacle = writeBlockers.place {
        found.append(.error(.targets, "target.\(name): \(obstacle.reason)", hint: obstacle.hint))
      } else if let reason = writeBlockers.reason(setting: names, removing: []) {
        found.append(.error(.targets, "target.\(name): \(reason)", hint: nil))
      } else {
        writable += 1
      }
      if let check = exposed(target, sight.mode) { open.append(check) }
    }
    guard found.isEmpty, writable > 0 else { return found + open }
    return open + [.ok(.targets, "\(counted(writable, "target")) can be written")]
  }

  /// The warning if other users have access to a target's file that the manifest does not grant them.
  private static func exposed(_ target: Target, _ mode: FileMode?) -> Check? {
    guard let mode, mode.isOpen(beyond: target.mode) else { return nil }
    let (detail, hint) = mode.exposure(of: target.destination.location)
    return .warning(.targets, detail, hint: hint)
  }

  /// One finding for each missing program of a source. None is run.
  package static func commands(of manifest: Manifest, in folder: String, _ world: World) -> [Check] {
    let targets = manifest.targets.values.compactMap(\.destination.commands).flatMap(\.all)
    let references = manifest.keys.values.flatMap(\.sources).filter { $0.scheme == "command" } + targets
    let programs = Set(references.compactMap(\.arguments.first)).sorted()
    let missing = programs.filter { !isThere($0, in: folder, world) }
    guard missing.isEmpty else {
      return missing.map {
        .error(
          .commands, "\(Glyphs.visible($0)), which a source or target runs, is missing or not executable.",
          hint: $0.contains("/") ? "Check its path and permissions." : "Install it, or add its folder to PATH.")
      }
    }
    return programs.isEmpty
      ? [] : [.ok(.commands, "\(counted(programs.count, "program")) found")]
  }

  private static func isThere(_ program: String, in folder: String, _ world: World) -> Bool {
    if program.contains("/") { return isProgram(program.hasPrefix("/") ? program : folder + "/" + program) }
    return (world.variable("PATH") ?? "").split(separator: ":").contains { isProgram($0 + "/" + program) }
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  private static func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }
}
