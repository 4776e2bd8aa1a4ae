internal import KeyplanApply
internal import KeyplanFiles
internal import KeyplanLocal
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting
internal import KeyplanSecrets
internal import KeyplanStore

/// The values of a project that has a manifest and never had a store, as the first apply would store them: straight from variables and from
/// files in the folder. Nothing is written, and no other source is read.
struct StorelessReading {
  private let world: World
  private let manifest: Manifest
  /// The records that the first apply would make of keys with a value.
  private let recorded: Recorded
  private let values: [Identifier<Key>: SecretBox]
  /// The reasons that other keys have no value here, as sentences.
  private let absences: [Identifier<Key>: String]

  /// Nil if the project has a store, or could have one. In CI, and wherever the files are not trusted, reading without a store has to be
  /// chosen with `KEYPLAN_STORE=none`.
  /// - Parameters:
  ///   - place: the place where its store would be.
  ///   - isForAll: whether keys without a value are named in the warning.
  nonisolated(nonsending) init?(insteadOf place: ResolvedStore, isForAll: Bool, in world: World) async throws {
    guard place.pin == nil, let file = place.file, !world.fileExists(file) else { return nil }
    let project = try Project(in: world)
    if let sign = try StoreSigns.found(for: project, in: world) {
      guard place.isNone else { return nil }
      throw StoreSigns.hasStore(sign, in: world)
    }
    if !place.isNone, try world.checkout() == .untrusted {
      throw Failure(
        .storeRefused, "Store not found", "The store at \(place.shown) does not exist.",
        hint:
          "Create one with `keyplan init`, in a place that every run can reach. To take values straight from variables "
          + "and files here, set KEYPLAN_STORE=none.", storeCode: .noStore)
    }
    let manifest = try project.manifest()
    (self.world, self.manifest) = (world, manifest)
    let workspace = try await Workspace(in: world, as: .trusted)
    let (plan, diagnostics) = try await Self.planned(workspace)
    (recorded, values) = Self.read(plan, workspace)
    let all = Set(manifest.keys.keys)
    let read = values
    absences = Dictionary(
      uniqueKeysWithValues: all.subtracting(values.keys).map { id in
        (id, Self.absence(of: id, in: manifest, plan, diagnostics, read))
      })
    // In an untrusted checkout, diagnostics about values are not shown.
    let isTrusted = try world.checkout() == .trusted
    for diagnostic in diagnostics where isTrusted && diagnostic.code.severity == .warning {
      guard case .key(let id)? = diagnostic.address, values[id] != nil else { continue }
      let message = diagnostic.message
      world.console.warn(
        Warning(diagnostic.code.summary, message.detail, hint: message.hint, isRoutine: true))
    }
    warn(isForAll ? absences.sorted { $0.key < $1.key }.map(\.value) : [])
  }

  /// Plans the first apply of keys and slots.
  private static func planned(_ workspace: Workspace) async throws(Failure) -> (Plan, [Diagnostic]) {
    let manifest = workspace.manifest
    let wanted = manifest.keys.keys.map(Address.key) + manifest.slots.keys.map(Address.slot)
    let selection = Selection(wanted, in: manifest, recorded: workspace.recorded)
    let observation = try await workspace.observe(only: selection)
    let (plan, planned) = Plan.reconciling(
      manifest, with: observation, allowing: Allowances(), at: workspace.world.now)
    let diagnostics = workspace.project.diagnostics + planned
    let blocking = diagnostics.filter { $0.code.severity == .error && $0.code.reach == .everything }
    guard let first = blocking.first else { return (plan.limited(to: selection), diagnostics) }
    throw Failure(
      first.code.isGuard ? .refused : .failed, first.code.summary,
      blocking.map(\.message.detail).joined(separator: "\n"), hint: first.message.hint)
  }

  /// Reads the values that the plan would store, and makes the records that it would make.
  private static func read(_ plan: Plan, _ workspace: Workspace) -> (Recorded, [Identifier<Key>: SecretBox]) {
    let (manifest, now) = (workspace.manifest, workspace.world.now)
    let context = workspace.world.sourceContext(workspace.project.folder, as: .trusted)
    var (recorded, values) = (Recorded(), [Identifier<Key>: SecretBox]())
    for step in plan.steps {
      guard case .store(.key(let id, .store(let write))) = step.effect, case .source(let index, _, _) = write.value,
        let sources = manifest.keys[id]?.sources, sources.indices.contains(index),
        isOwn(sources[index], of: context),
        case .value(let value) = LocalBackends.readSync(sources[index], context)
      else { continue }
      values[id] = value
      recorded.keys[id] = KeyRecord.storing(
        write, workspace.fingerprint(value, of: id), over: nil, revision: 1, at: now)
    }
    for id in manifest.composed.keys { compose(id, &recorded, &values, plan, workspace) }
    recorded = recorded.inheriting()
    for step in plan.steps {
      guard case .store(.activate(let slot, let planned, _)) = step.effect else { continue }
      let candidates = [planned] + (manifest.slots[slot]?.candidates ?? [])
      guard let key = candidates.first(where: { recorded.keys[$0]?.serving(at: now).isServed == true }) else {
        continue
      }
      recorded.slots[slot] = SlotRecord(revision: 1, key: key, since: now)
    }
    return (recorded, values)
  }

  /// Makes a value of others that are read already, as the first apply would. A value that cannot be made is missing.
  private static func compose(
    _ id: Identifier<Key>, _ recorded: inout Recorded, _ values: inout [Identifier<Key>: SecretBox], _ plan: Plan,
    _ workspace: Workspace
  ) {
    let step = plan.steps.first { $0.address == .key(id) && $0.effect.isKept }
    guard case .store(.key(_, .store(let write)))? = step?.effect, let composition = write.composition,
      composition.parts.allSatisfy({ values[$0] != nil }),
      let value = try? composition.makeSecret(of: values)
    else { return }
    values[id] = value
    var record = KeyRecord.storing(
      write, workspace.fingerprint(value, of: id), over: nil, revision: 1, at: workspace.world.now)
    record.version.parts = composition.parts.compactMap { part in
      recorded.keys[part].map { ComposedPart(part, $0.version) }
    }
    recorded.keys[id] = record
  }

  /// Whether a file is the project's own: one in a submodule, or in another repository in the folder, is its author's, and one in `.git`
  /// can have a credential.
  private static func isOwn(_ reference: Reference, of context: SourceContext) -> Bool {
    guard reference.scheme != "env" else { return true }
    let path = context.absolute(reference.location)
    do throws(FileError) {
      let (own, around) = (
        try WorkTree(containing: context.folder), try WorkTree(containing: Project.parent(of: path))
      )
      guard own?.root == around?.root else { return false }
      return own?.isRepositoryFile(try ResolvedPath(path)) != true
    } catch {
      return false
    }
  }

  private static func absence(
    of id: Identifier<Key>, in manifest: Manifest, _ plan: Plan, _ diagnostics: [Diagnostic],
    _ values: [Identifier<Key>: SecretBox]
  ) -> String {
    let key = manifest.keys[id]
    if let composition = key?.composition {
      if let part = composition.parts.first(where: { values[$0] == nil }) {
        return "\"\(id)\" is composed of \"\(part)\", which has no value here."
      }
      do throws(CompositionFault) {
        _ = try composition.makeSecret(of: values)
      } catch {
        return "\"\(id)\": \(error.sentence)"
      }
    }
    if key?.generated != nil { return "\"\(id)\" is generated, and kept only in a store." }
    if key?.minting != nil || id.whole != nil {
      return "\"\(id)\" is made at its provider, and kept only in a store."
    }
    guard let sources = key?.sources, !sources.isEmpty else { return "\"\(id)\" has no source." }
    if let error = diagnostics.first(where: { $0.address == .key(id) && $0.code.severity == .error }) {
      return error.message.detail
    }
    let isRead = plan.steps.contains { $0.address == .key(id) && $0.effect.isKept }
    if isRead, let outside = sources.first(where: { $0.surface != nil }) {
      return "\"\(id)\": \(outside) is read once an apply has allowed it."
    }
    if isRead { return "\"\(id)\": \(sources[0]) is git's or another repository's." }
    return "\"\(id)\" has no value at \(sources.map(\.description).joined(separator: " or "))."
  }

  /// So many reasons are shown each time.
  private static let shown = 5

  private func warn(_ reasons: [String]) {
    var lines = ["Values come straight from their sources."] + reasons.prefix(Self.shown)
    if reasons.count > Self.shown {
      lines.append("\(reasons.count - Self.shown) other keys have no value here: see `keyplan plan`.")
    }
    world.console.warn(
      Warning(
        "No store here", lines.joined(separator: "\n"), hint: "`keyplan init` keeps values, with history and drift.",
        isRoutine: true))
  }

  // MARK: Values

  /// The value of `KEY` or `active.SLOT`.
  func value(named name: String) throws(Failure) -> SecretBox {
    let id = ReadableName(name)?.key(in: recorded)
    guard let id, let value = values[id], let record = recorded.keys[id] else {
      throw absence(of: name, id)
    }
    try check([(id, record)])
    return value
  }

  private func absence(of name: String, _ id: Identifier<Key>?) -> Failure {
    if let reason = id.flatMap({ absences[$0] }) {
      return Failure(.failed, "No value without a store", reason, hint: "Keep values in a store: keyplan init")
    }
    let owners = VariableOwners(
      of: name, manifest.keys.mapValues(\.facts), active: recorded.slots.mapValues(\.key))
    if let owners { return owners.failure }
    let known = values.keys.map(\.name) + absences.keys.map(\.name) + recorded.slots.keys.map { "active.\($0)" }
    let near = Suggestion.nearest(to: name, among: known)
    return Failure(
      .failed, "No value without a store", "No value was found for the key \(Failure.typed(name)).",
      hint: Failure.hint(ofTyped: name) ?? near.map { "Did you mean \($0)?" })
  }

  /// The variables of `env` and `run`.
  func exports(_ selection: ExportSelection) throws(Failure) -> [Export] {
    guard selection.target == nil else {
      throw Failure(
        .failed, "No store here", "Names of targets are exported from a store only.",
        hint: "Create one with `keyplan init`, or leave --target out.")
    }
    let chosen = try StoreReading.chosen(selection, in: recorded)
    try check(chosen.compactMap { chosen in recorded.keys[chosen.key].map { (chosen.key, $0) } })
    var exports: [Export] = []
    for (name, key) in chosen {
      guard let value = values[key], let record = recorded.keys[key] else { continue }
      try StoreReading.requireText(value, of: name)
      var export = Export(name: name, value: value, version: StoreReading.version(of: record, key))
      if selection.includesContents { export.contents = contents(of: record.version) }
      exports.append(export)
    }
    return exports
  }

  private func contents(of version: KeyVersion) -> [Export.Content] {
    PartsOfValues(recorded.keys).contents(of: version).sorted { $0.key < $1.key }.compactMap { part in
      guard let value = values[part.key], let record = recorded.keys[part.key] else { return nil }
      return Export.Content(key: part.key.name, version: StoreReading.version(of: record, part.key), value: value)
    }
  }

  private func check(_ records: [(Identifier<Key>, KeyRecord)]) throws(Failure) {
    try StoreReading.warnOfEnds(records, in: world)
  }
}

extension Effect {
  /// Whether it stores a key's value.
  fileprivate var isKept: Bool { if case .store(.key(_, .store)) = self { true } else { false } }
}
