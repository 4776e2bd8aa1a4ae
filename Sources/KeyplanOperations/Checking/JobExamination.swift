internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// The checks of a CI job's settings, where the job runs. They are independent: a failed check does not hide the others. In a checkout that is
/// not trusted nothing is run, no source is read, and no store is contacted that only the checkout names.
package struct JobExamination {
  package private(set) var checks: [Check] = []
  package let service: CIService?
  private let world: World
  /// Empty if the store was not opened.
  private var recorded = Recorded()
  private var isOpen = false

  package nonisolated(nonsending) init(in world: World) async {
    self.world = world
    service = world.ciService
    job()
    let isTrusted = checkout()
    guard let project = project() else {
      await identityAlone()
      return
    }
    await store(of: project)
    if let manifest = project.reading.manifest { variables(of: manifest, isTrusted: isTrusted) }
  }

  private mutating func job() {
    guard let service else {
      checks.append(
        .warning(
          .job, "This is not a CI job: no variable of a CI service is set. What follows holds for this machine.",
          hint: "Run keyplan ci --check as a step of a job, with the variables that its other steps have."))
      return
    }
    let what = world.isPullRequest ? "a job for a pull request" : "a job"
    checks.append(.ok(.job, "\(what) of \(service.name ?? "a CI service")"))
  }

  /// Whether the checkout is trusted.
  private mutating func checkout() -> Bool {
    do throws(Failure) {
      let checkout = try world.checkout()
      let word = world.variable("KEYPLAN_CHECKOUT") == nil ? "" : ", as KEYPLAN_CHECKOUT says"
      guard checkout == .trusted, world.isPullRequest else {
        checks.append(.ok(.checkout, "the checkout is \(checkout.rawValue)\(word)"))
        return checkout == .trusted
      }
      checks.append(
        .error(
          .checkout,
          "KEYPLAN_CHECKOUT is \"trusted\" in a job for a pull request, whose author decides what is in the files.",
          hint: "Remove KEYPLAN_CHECKOUT. Set it in jobs that run reviewed files only.", .refused))
      // The other checks do without what the author may have written.
      return false
    } catch {
      checks.append(.error(.checkout, error.detail, hint: error.hint, error.status))
      return false
    }
  }

  private mutating func project() -> Project? {
    do throws(Failure) {
      let project = try Project(in: world)
      guard project.reading.manifest != nil else {
        checks.append(.invalidManifest(of: project))
        return project
      }
      checks.append(.ok(.manifest, "\(project.shown) is valid"))
      if let environment = project.environment { checks.append(.ok(.environment, "the environment is \(environment)")) }
      return project
    } catch {
      // A missing choice of an environment is a missing setting.
      let subject: Check.Subject = error.status == .usage ? .environment : .manifest
      checks.append(.error(subject, error.detail, hint: error.hint, error.status))
      return nil
    }
  }

  private nonisolated(nonsending) mutating func identityAlone() async {
    do throws(Failure) { identity(try await Identities(in: world)) } catch { checks.append(failed(.identity, error)) }
  }

  private mutating func identity(_ identities: Identities) {
    let origin =
      world.settings.identity != nil
      ? "--identity" : world.variable("KEYPLAN_IDENTITY") != nil ? "KEYPLAN_IDENTITY" : nil
    if let origin { return checks.append(.ok(.identity, "\(origin) has an identity")) }
    let detail = "KEYPLAN_IDENTITY is not set; the identity is that of the account, \(identities.origin)."
    checks.append(
      service == nil
        ? .ok(.identity, detail)
        : .warning(
          .identity, detail, hint: "Set KEYPLAN_IDENTITY to an identity that was made for CI: keyplan ci github"))
  }

  private nonisolated(nonsending) mutating func store(of project: Project) async {
    let identities: Identities?
    do throws(Failure) {
      let found = try await Identities(in: world)
      identity(found)
      identities = found
    } catch {
      checks.append(failed(.identity, error))
      identities = nil
    }
    do throws(Failure) {
      // Refuses a place that only the checkout names, before anything is sent there.
      let place = try ResolvedStore(of: project, in: world)
      known(place)
      pin(place)
      guard try place.exists(in: world) else { throw Failure.noStore(place) }
      guard let identities else {
        return checks.append(.warning(.store, "The store was not opened.", hint: "Opening it requires an identity."))
      }
      let (store, recorded) = try await place.waiting(in: world) { () throws(Failure) in
        try OpenStore.reading(place, identities) { store throws(Failure) in
          (store, try Failure.from { () throws(StoreError) in try store.recorded() })
        }
      }
      (self.recorded, isOpen) = (recorded, true)
      access(isPlanOnly: store.isPlanOnly, identities.name(among: recorded.recipients), place)
    } catch {
      checks.append(failed(.store, error))
    }
  }

  /// An error that would end another command. A setting that cannot be read is wrong usage.
  private func failed(_ subject: Check.Subject, _ failure: Failure) -> Check {
    guard failure.status == .usage else { return .error(subject, failure) }
    return .error(subject, failure.detail, hint: failure.hint, .usage)
  }

  private mutating func known(_ place: ResolvedStore) {
    guard place.trust.isNamedOutside else {
      let known = (try? KnownStores(in: world)[place.trust.project]) ?? nil
      let isRemembered = known?.place == place.trust.place
      // Otherwise it is missing, which is reported next.
      guard isRemembered || place.trust.given != nil else { return }
      let how = isRemembered ? "this machine knows it" : "KEYPLAN_PIN names it"
      return checks.append(.ok(.store, "\(place.shown) is known from outside of the checkout: \(how)"))
    }
    let origin = world.settings.isStoreArgument ? "--store" : "KEYPLAN_STORE"
    checks.append(.ok(.store, "\(place.shown) is known from outside of the checkout: \(origin) names it"))
  }

  private mutating func pin(_ place: ResolvedStore) {
    guard let locked = place.pin else {
      return checks.append(
        .error(
          .pin, "keyplan.lock has no line for the environment \"\(place.trust.project.environment)\".",
          hint: "Commit keyplan.lock as keyplan init wrote it.", .storeRefused))
    }
    guard let given = place.trust.given else {
      return checks.append(.ok(.pin, "keyplan.lock names the store; KEYPLAN_PIN is not set"))
    }
    guard given.store == locked.store, !Set(given.roots).isDisjoint(with: locked.roots) else {
      return checks.append(
        .error(
          .pin, "KEYPLAN_PIN and keyplan.lock name different stores or root keys.",
          hint:
            "If the root key was replaced, set KEYPLAN_PIN to the line of keyplan.lock on the main branch: keyplan ci github",
          .storeRefused))
    }
    checks.append(.ok(.pin, "KEYPLAN_PIN and keyplan.lock name the same store"))
  }

  private mutating func access(isPlanOnly: Bool, _ name: Identifier<Recipient>?, _ place: ResolvedStore) {
    let who = name.map { "the recipient \"\($0)\"" } ?? "a recipient"
    let detail = "the identity opens the store as \(who), which \(isPlanOnly ? "can only plan" : "has full access")"
    guard world.isPullRequest, !isPlanOnly else { return checks.append(.ok(.store, detail)) }
    checks.append(
      .warning(
        .identity,
        "The identity of \(who) has full access, and this is a job for a pull request: whoever can change its branch can open all "
          + "values.",
        hint: "Use the identity of a recipient with `can: plan`: keyplan ci github"))
  }

  /// The variables of sources: whether they are set, and nothing of their values. In a checkout that is not trusted only those that an apply
  /// has recorded are looked at, since the manifest could name any.
  private mutating func variables(of manifest: Manifest, isTrusted: Bool) {
    let declared = JobSetup.variables(of: manifest)
    let applied = Set(
      (recorded.keys.values.flatMap(\.facts.sources).filter { $0.hasPrefix("env://") }).map { String($0.dropFirst(6)) })
    let looked = isTrusted ? declared : declared.filter(applied.contains)
    let missing = looked.filter { world.variable($0) == nil }
    if !missing.isEmpty {
      checks.append(
        .warning(
          .variables, "Not set: \(missing.joined(separator: ", ")). Plans keep the recorded values of their keys.",
          hint: "Set them in the job if it is to compare these values, or to apply."))
    }
    let there = looked.count - missing.count
    if there > 0 {
      checks.append(.ok(.variables, "\(there) of \(declared.count) variables that the manifest reads are set"))
    }
    let others = declared.count - looked.count
    if others > 0 {
      let words = others == 1 ? "1 variable is" : "\(others) variables are"
      checks.append(
        .ok(
          .variables,
          "\(words) not looked at, because \(isOpen ? "no apply has recorded the source" : "the store was not opened")")
      )
    }
  }
}
