package import KeyplanApply
internal import KeyplanFiles
internal import KeyplanManifest
package import KeyplanModel
internal import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting

/// Saved plans as files: signed, and valid for a day.
package enum PlanFile {
  package static let validity = Interval.days(1)
  private static let limit = 256 << 20

  /// A plan as a file without secrets, and the time until which it can be applied.
  /// - Returns: nil if there is no store.
  /// - Throws: `Failure` for a plan that is blocked by an error.
  package static func saved(_ planning: PlanRun, validFor: Interval? = nil) throws(Failure) -> (
    bytes: [UInt8], end: Moment
  )? {
    let (store, _) = try planning.needStore()
    guard !planning.isHeldBack else {
      throw Failure(
        .failed, "Plan not saved", "The errors above block every step; a plan that cannot be applied is not saved.")
    }
    guard let state = planning.workspace.recorded.store, let id = planning.id else { return nil }
    let end = planning.workspace.world.now + (validFor ?? validity)
    let saved = SavedPlan(
      plan: planning.plan, diagnostics: planning.diagnostics.map(\.saved), store: state,
      environment: planning.workspace.place.environment,
      allowances: planning.allowances, manifest: digest(of: planning.workspace.project, signing: store),
      id: id.description, validUntil: end)
    return (saved.file(signing: store), end)
  }

  /// A plan that was saved.
  package struct Content {
    package let planning: PlanRun
    package let validUntil: Moment
    /// The plan's id.
    package let id: String
    package let signer: PlanSigner
  }

  /// Reads a plan that was saved for this store and this manifest, to apply it.
  /// - Parameter style: the form of the time until which it was valid.
  /// - Throws: `Failure`, also if it is no longer valid.
  package static func read(_ path: String, _ workspace: Workspace, style: Style = Style()) throws(Failure) -> PlanRun {
    let content = try content(of: path, workspace)
    guard content.signer == .full else {
      throw Failure(
        .refused, "Plan cannot be applied",
        "\(path) was saved with an identity that can only plan. Anybody with such an identity could have written it.",
        hint: "Apply the same plan by its id, which plans again and compares: keyplan apply --expect \(content.id)")
    }
    guard workspace.world.now < content.validUntil else {
      throw Failure(
        .stale, "Plan has expired", "\(path) was valid until \(style.time(content.validUntil)).", hint: "Plan again.")
    }
    return content.planning
  }

  /// Reads such a plan, however old it is.
  package static func content(of path: String, _ workspace: Workspace) throws(Failure) -> Content {
    let empty = PlanRun(workspace, Plan(steps: []), [], Allowances())
    let (store, _) = try empty.needStore()
    guard let state = workspace.recorded.store else { throw Failure(.storeRefused, "Store not found", path) }
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
        "\(path) was made for an earlier manifest or another environment.",
        hint: "Plan again.")
    }
    var planning = PlanRun(workspace, saved.plan, saved.diagnostics.map(\.diagnostic), saved.allowances)
    planning.savedAt = saved.store.serial
    return Content(
      planning: planning,
      validUntil: saved.validUntil, id: saved.id, signer: saved.signer)
  }

  private static func bytes(_ path: String, _ world: World) throws(Failure) -> [UInt8] {
    do throws(FileError) {
      return try SafeFile.read(world.absolute(path), limit: limit)
    } catch {
      throw Failure(error, "Cannot read the plan")
    }
  }

  /// Binds a plan to the content of the manifest's files: a keyed hash of their bytes.
  private static func digest(of project: Project, signing: some PlanSigning) -> String {
    var bytes: [UInt8] = []
    for text in project.texts {
      withUnsafeBytes(of: UInt64(text.bytes.count).bigEndian) { bytes.append(contentsOf: $0) }
      bytes += text.bytes
    }
    return signing.planCode(of: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Failure {
  package init(_ error: SavedPlanError, _ path: String) {
    switch error {
    case .notAPlan:
      self.init(
        .failed, "Not a plan", "\(path) is not a complete keyplan plan file.",
        hint: "Save a plan with: keyplan plan --out FILE")
    case .newerFormat:
      self.init(.failed, "Plan is from a newer version", "\(path) has a format that this version does not support.")
    case .touched:
      self.init(
        .refused, "Plan was modified", "\(path) was changed after keyplan wrote it.",
        hint: "Plan again, and find out who modified it.")
    case .anotherStore:
      self.init(.stale, "Plan is for another store", "\(path) was made for another store.", hint: "Plan again.")
    case .rekeyed:
      self.init(
        .stale, "Stale plan: root key replaced", "The store's root key was replaced after \(path) was made.",
        hint: "Plan again.")
    case .moved:
      self.init(
        .stale, "Stale plan: store moved", "The store was moved after \(path) was made.",
        hint: "Plan again.")
    }
  }
}
