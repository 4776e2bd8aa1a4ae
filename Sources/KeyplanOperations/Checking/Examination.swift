internal import KeyplanFiles
internal import KeyplanLocal
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// The checks of the local setup. They are independent: a failed check does not hide the others.
package struct Examination {
  package private(set) var checks: [Check] = []
  private let world: World
  private let timeStyle: Style
  /// Empty if the store cannot be opened.
  private var recorded = Recorded()
  /// Nil if the store cannot be opened.
  private var opened: SealedStore?
  /// Whether the records were read, or there are none.
  private var knowsRecords = false

  package nonisolated(nonsending) init(in world: World, timeStyle: Style = Style()) async {
    self.timeStyle = timeStyle
    self.world = world
    let project = manifest()
    let identities = await identity()
    if let project {
      store(of: project, identities)
      await workspace(of: project)
    }
    checks += LibraryChecks.all()
  }

  private mutating func manifest() -> Project? {
    do throws(Failure) {
      let project = try Project(in: world)
      guard project.reading.manifest != nil else {
        checks.append(.invalidManifest(of: project))
        return project
      }
      let environment = project.environment.map { ", environment \($0)" } ?? ""
      checks.append(.ok(.manifest, "\(project.shown) is valid\(environment)"))
      return project
    } catch {
      checks.append(.error(.manifest, error))
      return nil
    }
  }

  private nonisolated(nonsending) mutating func identity() async -> Identities? {
    do throws(Failure) {
      let identities = try await Identities(in: world)
      let file = Identities.file(in: world)
      checks.append(Self.access(to: file, identities.origin, in: world))
      if let file, let check = WorkspaceChecks.replaceable(identity: file) {
        checks.append(check)
      }
      checks += PluginChecks.identity(identities, in: world)
      return identities
    } catch {
      checks.append(.error(.identity, error))
      return nil
    }
  }

  /// - Parameter file: nil if a variable contains the identity itself.
  private static func access(to file: String?, _ shown: String, in world: World) -> Check {
    guard let file else { return .ok(.identity, "\(shown) contains the identity") }
    guard let provided = try? ProvidedFile(file) else {
      return .ok(.identity, "\(shown) exists with private permissions")
    }
    guard provided.isPublic else { return .ok(.identity, "\(shown) is provided by root") }
    guard !world.isInContainer else {
      return .ok(.identity, "\(shown) is provided by root, and everybody in this container can read it")
    }
    let warning = Warning.publicIdentity(shown)
    return .warning(.identity, warning.detail, hint: warning.hint ?? "")
  }

  private mutating func store(of project: Project, _ identities: Identities?) {
    do throws(Failure) {
      let place = try ResolvedStore(of: project, in: world)
      pin(place)
      ignored(place, project)
      guard try place.exists(in: world) else {
        knowsRecords = true
        throw Failure.noStore(place)
      }
      guard let identities else {
        return checks.append(
          .warning(.store, "\(place.shown) exists but was not opened.", hint: "Opening it requires an identity."))
      }
      let store: SealedStore
      (store, recorded) = try OpenStore.reading(place, identities) { store throws(Failure) in
        (store, try Failure.from { () throws(StoreError) in try store.recorded() })
      }
      (opened, knowsRecords) = (store, true)
      let serial = recorded.store.map { ", serial \($0.serial)" } ?? ""
      let isPrivate = place.file == nil ? "" : " is private and"
      let opens = store.isPlanOnly ? "opens with the identity, which can only plan" : "opens with the identity"
      checks.append(.ok(.store, "\(place.shown)\(isPrivate) \(opens)\(serial)"))
      lastApply(recorded)
      recovery(recorded)
      clock(recorded)
    } catch {
      checks.append(.error(.store, error))
    }
  }

  private mutating func pin(_ place: ResolvedStore) {
    guard place.pin == nil else { return checks.append(.ok(.pin, "keyplan.lock names a store for this environment")) }
    guard (try? place.exists(in: world)) == true else { return }
    checks.append(
      .warning(
        .pin, "keyplan.lock does not name this store, so it could be replaced with another one unnoticed.",
        hint: "Restore keyplan.lock from git, or run keyplan trust."))
  }

  /// The last apply: the recipient, the command, and whether it was completed.
  private mutating func lastApply(_ recorded: Recorded) {
    guard let plan = recorded.store?.lastPlan, let words = recorded.store?.lastApply(timeStyle),
      let invocation = plan.invocation
    else { return }
    let detail = "last apply \(words) with \(invocation.command)" + (invocation.job.map { "; \($0.words)" } ?? "")
    guard plan.isIncomplete else { return checks.append(.ok(.store, detail)) }
    checks.append(.warning(.store, detail, hint: "See what is left: keyplan plan"))
  }

  /// Warns if only one identity can open the store.
  private mutating func recovery(_ recorded: Recorded) {
    let names = recorded.recipients.filter { $0.value.role == .full }.keys.sorted().map(\.name)
    guard names.count < 2 else {
      return checks.append(
        .ok(.recovery, "\(names.count) recipients can open the store: \(names.joined(separator: ", "))"))
    }
    checks.append(
      .warning(
        .recovery,
        "Only \(names.first ?? "one recipient") can open the store: if that identity is lost, so is the store.",
        hint:
          "Create a second identity with `keyplan identity new --identity FILE`, add its recipient to the manifest, and keep "
          + "the file elsewhere."))
  }

  /// Expiry and the age of plans depend on this clock.
  private mutating func clock(_ recorded: Recorded) {
    guard let warning = Warning.clockBehind(recorded, at: world.now, style: timeStyle) else {
      return checks.append(.ok(.clock, "the clock is ahead of the last apply"))
    }
    checks.append(.warning(.clock, warning.detail, hint: warning.hint ?? ""))
  }

  private nonisolated(nonsending) mutating func workspace(of project: Project) async {
    checks.append(WorkspaceChecks.folder(project.folder))
    guard let manifest = project.reading.manifest else { return }
    checks += project.exposedFiles(in: world).map {
      .warning(.ignored, $0.detail, hint: $0.hint(from: world.directory))
    }
    checks += await WorkspaceChecks.targets(
      of: manifest, LocalBackends.targets(project.targetContext(in: world)), allowed: recorded.surface)
    do throws(Failure) {
      let checkout = try world.checkout()
      let digests: any FileDigesting =
        if let opened { opened } else { try Failure.from { () throws(StoreError) in try ThrowawayKeys() } }
      checks += await WorkspaceChecks.connections(
        of: manifest, knowsRecords ? recorded : nil, digests, checkout, in: project, world)
    } catch {
      checks.append(.error(.connections, error))
    }
    if knowsRecords { checks += WorkspaceChecks.accounts(of: manifest, recorded, at: world.now) }
    checks += WorkspaceChecks.commands(of: manifest, in: project.folder, world)
    checks += PluginChecks.recipients(manifest.recipients ?? recorded.recipients, in: world)
  }

  private mutating func ignored(_ place: ResolvedStore, _ project: Project) {
    guard let file = place.file else { return }
    if let check = WorkspaceChecks.ignored(file, in: project.folder, world) { checks.append(check) }
    if let check = WorkspaceChecks.replaceable(store: file, shown: place.shown) { checks.append(check) }
  }
}

extension Check {
  /// The error of a manifest that cannot be used.
  static func invalidManifest(of project: Project) -> Check {
    let count = project.reading.diagnostics.count { $0.code.severity == .error }
    return .error(.manifest, "\(project.shown) has \(Spans.count(count, "error")).", hint: "keyplan validate")
  }
}
