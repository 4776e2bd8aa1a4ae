internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanFiles
internal import KeyplanManifest
internal import KeyplanReporting

/// Saved plans as files: 0600, signed, good for a day.
enum PlanFile {
  static let validity = Interval.days(1)
  private static let limit = 256 << 20

  /// Saves a plan that nothing holds back, and says what is where, and until when.
  static func write(_ planning: PlanRun, to file: ResultFile, validFor: TimeoutArgument?) throws {
    let (store, _) = try planning.needStore()
    guard !planning.isHeldBack else {
      throw Failure(
        .failed, "Plan not saved", "Errors hold everything back; a plan that cannot be applied is not saved.")
    }
    guard let state = planning.workspace.recorded.store, let id = planning.id else { return }
    let world = planning.workspace.world
    let end = world.now + (validFor?.interval ?? validity)
    let saved = SavedPlan(
      plan: planning.plan, diagnostics: planning.diagnostics.map(\.saved), store: state,
      environment: planning.workspace.place.environment,
      allowances: planning.allowances, manifest: digest(of: planning.workspace.project, signing: store),
      id: id.description, validUntil: end)
    try file.write(saved.file(signing: store), in: world)
    let options = planning.workspace.options
    guard !options.isQuiet(in: world), !file.isStream else { return }
    guard !planning.plan.isEmpty else {
      world.err.write("Saved \(file.shown): there is nothing to apply.\n")
      return
    }
    let environment = options.common.environment.map { " -e \(ShellWord.quoted($0))" } ?? ""
    world.err.write(
      "Saved \(Spans.count(planning.plan.steps.count, "step")) in \(file.shown), good until \(options.style(for: world.err, in: world).time(end)).\n"
        + "Next: keyplan apply\(environment) \(ShellWord.quoted(file.shown))\n")
  }

  /// A plan that was saved.
  struct Content {
    let planning: PlanRun
    let validUntil: Moment
  }

  /// Reads a plan that was saved for this store and this manifest, to carry it out.
  /// - Throws: `Failure`, also if it is not valid any more.
  static func read(_ path: String, _ workspace: Workspace) throws(Failure) -> PlanRun {
    let content = try content(of: path, workspace)
    guard workspace.world.now < content.validUntil else {
      let end = workspace.options.style(for: workspace.world.err, in: workspace.world).time(content.validUntil)
      throw Failure(.stale, "Plan is too old", "\(path) was good until \(end).", hint: "Plan again.")
    }
    return content.planning
  }

  /// Reads such a plan, however old it is.
  static func content(of path: String, _ workspace: Workspace) throws(Failure) -> Content {
    let empty = PlanRun(workspace, Plan(steps: []), [], Allowances())
    let (store, _) = try empty.needStore()
    guard let state = workspace.recorded.store else { throw Failure(.storeRefused, "No store here", path) }
    let bytes = try bytes(path, workspace.world)
    let saved: SavedPlan
    do throws(SavedPlanError) {
      saved = try SavedPlan(file: bytes, store: state, signing: store)
    } catch {
      throw Failure(error, path)
    }
    guard saved.environment == workspace.place.environment,
      saved.manifest == digest(of: workspace.project, signing: store)
    else {
      throw Failure(
        .stale, "Plan is for another manifest",
        "\(path) was made before the manifest was changed, or for another environment.",
        hint: "Plan again.")
    }
    return Content(
      planning: PlanRun(workspace, saved.plan, saved.diagnostics.map(\.diagnostic), saved.allowances),
      validUntil: saved.validUntil)
  }

  private static func bytes(_ path: String, _ world: World) throws(Failure) -> [UInt8] {
    do throws(FileError) {
      return try SafeFile.read(world.absolute(path), limit: limit)
    } catch {
      throw Failure(error, "Plan cannot be read")
    }
  }

  /// Ties a plan to what the manifest's files say: a keyed hash of their bytes.
  private static func digest(of project: Project, signing: some PlanSigning) -> String {
    var bytes: [UInt8] = []
    for text in project.texts {
      withUnsafeBytes(of: UInt64(text.bytes.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes += text.bytes
    }
    return signing.signature(of: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Failure {
  init(_ error: SavedPlanError, _ path: String) {
    switch error {
    case .notAPlan: self.init(.failed, "Not a plan", "\(path) is no plan file of keyplan, or not a whole one.")
    case .newerFormat:
      self.init(.failed, "Plan is from a newer version", "\(path) has a format that this version does not know.")
    case .touched:
      self.init(
        .refused, "Plan was changed", "\(path) is not what keyplan wrote.",
        hint: "Plan again, and find out who changed it.")
    case .anotherStore:
      self.init(.stale, "Plan is for another store", "\(path) was made for another store.", hint: "Plan again.")
    case .rekeyed:
      self.init(
        .stale, "Plan is stale: re-keyed", "The store has had a new root key since \(path) was made.",
        hint: "Plan again.")
    case .moved:
      self.init(
        .stale, "Plan is stale: the store was moved", "The store was moved to another place since \(path) was made.",
        hint: "Plan again.")
    }
  }
}
