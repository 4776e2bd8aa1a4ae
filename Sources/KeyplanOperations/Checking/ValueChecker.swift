internal import KeyplanHTTP
internal import KeyplanModel
internal import KeyplanPorts
internal import KeyplanReporting
internal import KeyplanServices
internal import KeyplanStore

/// Checks new values with their providers during an apply.
struct ValueChecker: ValueChecking {
  private let manifest: Manifest
  private let checks: CheckRegistry
  private let transport: RemoteTransport
  private let store: SealedStore
  private let now: @Sendable () -> Moment

  private struct Question: Sendable {
    let value: UncheckedValue
    let checker: KeyChecker
  }

  /// - Parameter store: has the permissions for the hosts of declared checks, also those that the apply has just recorded.
  init(_ workspace: Workspace, _ store: SealedStore) throws(Failure) {
    manifest = workspace.manifest
    checks = workspace.project.checks
    transport = try workspace.checkTransport()
    self.store = store
    now = { [world = workspace.world] in world.now }
  }

  func check(_ values: [UncheckedValue]) async -> [Identifier<Key>: CheckVerdict] {
    guard let surface = try? store.recorded().surface else { return [:] }
    var verdicts: [Identifier<Key>: CheckVerdict] = [:]
    var questions: [String: [Question]] = [:]
    for value in values {
      let provider = value.facts.provider
      do throws(CheckAnswer) {
        if let obstacle = manifest.checkObstacle(for: provider, under: surface) {
          let message = VerifyReport.Obstacle.notPermitted(obstacle).message(provider: provider)
          throw CheckAnswer(.unknown, reason: message.detail)
        }
        guard let checker = try checks.checker(of: provider, through: transport) else { continue }
        questions[provider, default: []].append(Question(value: value, checker: checker))
      } catch {
        verdicts[value.key] = verdict(error, of: value)
      }
    }
    let answers = await ProviderPace.ask(questions, through: transport) { question in
      await question.checker.check(question.value.value, issued: question.value.issuedAt ?? now())
    }
    for (question, answer) in answers { verdicts[question.value.key] = verdict(answer, of: question.value) }
    return verdicts
  }

  private func verdict(_ answer: CheckAnswer, of value: UncheckedValue) -> CheckVerdict {
    let isMinted = value.facts.mintedAt != nil
    let check = KeyCheck(answer.outcome, at: now(), expires: answer.facts.expires)
    switch answer.outcome {
    case .valid, .restricted: return .accepted(check)
    case .invalid, .expired, .blocked:
      return .refused(
        check,
        reason: "\(answer.reason) "
          + (isMinted
            ? "The new key is not used. To have another one made: keyplan keys rotate \(value.key)"
            : "The new value is not stored. Put one that the provider accepts at its source."))
    case .noCredit, .pending, .throttled, .unknown:
      return .undecided(
        reason: "\(answer.reason) "
          + (isMinted
            ? "The new key is not used yet. Apply again later."
            : "The new value is not stored. Apply again later, or without --verify."),
        isUnreachable: answer.outcome != .noCredit)
    }
  }
}

extension Workspace {
  /// The transport for requests to providers. Each request is limited to five seconds.
  func checkTransport(deadline: Duration = .seconds(5)) throws(Failure) -> RemoteTransport {
    let environment = try world.remoteEnvironment(project.folder)
    var settings = environment.http
    settings.deadline = deadline
    return environment.transport(settings)
  }

  /// The keys whose new values can be checked once this manifest is applied. A value is sent only to the provider that is recorded with its
  /// key. A single part of a key cannot be checked.
  func checkable(_ isWanted: (Key) -> Bool) -> Set<Identifier<Key>> {
    var isCheckable: [String: Bool] = [:]
    func hasCheck(_ provider: String) -> Bool {
      if let known = isCheckable[provider] { return known }
      let isDeclared = manifest.providers[provider]?.check != nil
      let isOpen = isDeclared || manifest.checkObstacle(for: provider, under: recorded.surface) == nil
      let known = isOpen && project.checks.hasCheck(of: provider)
      isCheckable[provider] = known
      return known
    }
    var ids: Set<Identifier<Key>> = []
    for (id, key) in manifest.keysAsDeclared where isWanted(key) && hasCheck(key.facts.provider) {
      if key.isPart || key.composition != nil { continue }
      if let record = recorded.keys[id], record.facts.provider != key.facts.provider { continue }
      ids.insert(id)
    }
    return ids
  }
}
