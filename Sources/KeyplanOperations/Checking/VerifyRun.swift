internal import KeyplanHTTP
package import KeyplanModel
package import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanSecrets
internal import KeyplanServices
internal import KeyplanStore

/// Checks recorded values with their providers, and records the answers.
package struct VerifyRun {
  package let workspace: Workspace
  private let store: SealedStore
  private let identities: Identities
  private let keys: [Identifier<Key>]
  /// The keys that the user named; empty for all.
  package let named: Set<Identifier<Key>>
  private let deadline: Duration

  /// - Parameters:
  ///   - names: keys as typed; none for all that are in use.
  ///   - moment: limits keys in use to those without an answer since then.
  ///   - selection: limits keys in use to those that it contains; nil for all.
  ///   - deadline: the time limit of one request.
  package init(
    _ workspace: Workspace, keys names: [String] = [], unlessSince moment: Moment? = nil,
    only selection: Selection? = nil, deadline: Duration = .seconds(5)
  ) throws(Failure) {
    guard let store = workspace.store, let identities = workspace.identities else {
      throw Failure.noStore(workspace.place)
    }
    guard !store.isPlanOnly else {
      throw Failure(
        .storeRefused, "Identity cannot read values", "A recipient that can only plan opens no value to check.",
        hint: "Use the identity of a recipient with full access.")
    }
    var named: Set<Identifier<Key>> = []
    for name in names { named.insert(try RecordedAddress.key(name, in: workspace)) }
    self.named = named
    self.workspace = workspace
    self.store = store
    self.identities = identities
    self.deadline = deadline
    let inUse = workspace.recorded.keys.filter { id, record in
      // A checkout can declare the key differently, so the record is checked, too: a composed value is never sent to a provider.
      guard let key = workspace.manifest.keys[id], !key.isPart, key.composition == nil, !record.isComposed,
        record.retiredAt == nil, record.revocation == nil,
        selection?.contains(.key(id)) ?? true
      else { return false }
      guard let moment, let check = record.version.check else { return true }
      return check.at < moment
    }
    keys = named.isEmpty ? inUse.keys.sorted() : named.sorted()
  }

  /// Queries one provider sequentially, and different providers in parallel.
  /// - Parameter timeout: the maximum wait for the store's lock.
  package func run(timeout: Duration?) async throws(Failure) -> VerifyReport {
    let transport = try workspace.checkTransport(deadline: deadline)
    var rows: [VerifyReport.Row] = []
    var questions: [String: [Question]] = [:]
    for id in keys {
      guard let record = workspace.recorded.keys[id] else { continue }
      switch question(id, record, transport) {
      case .success(let question): questions[record.facts.provider, default: []].append(question)
      case .failure(let obstacle): rows.append(.init(id, record.facts.provider, .notAsked(obstacle.reason)))
      }
    }
    let answers = try await asked(questions, transport)
    let recorded = try await record(answers, timeout: timeout)
    rows += answers.map { question, answer in
      var row = VerifyReport.Row(question.key, question.provider, .asked(answer))
      row.renewal = question.renewal
      row.isRecorded = recorded.contains(question.key)
      return row
    }
    return VerifyReport(
      environment: workspace.place.environment, store: workspace.recorded.store,
      rows: rows.sorted { $0.key < $1.key },
      previews: questions.filter { $0.value.contains(where: \.checker.isPreview) }.keys.sorted())
  }

  /// The request for one key.
  private struct Question: Sendable {
    let key: Identifier<Key>
    let provider: String
    let version: KeyVersion
    let issued: Moment
    let renewal: Renewal
    let value: SecretBox
    let checker: KeyChecker
  }

  private struct Refusal: Error { let reason: VerifyReport.Obstacle }

  private func question(
    _ id: Identifier<Key>, _ record: KeyRecord, _ transport: RemoteTransport
  ) -> Result<Question, Refusal> {
    let provider = record.facts.provider
    guard !record.isComposed, workspace.manifest.keys[id]?.composition == nil else {
      return .failure(Refusal(reason: .composed))
    }
    if let obstacle = workspace.manifest.checkObstacle(of: id, record, under: workspace.recorded.surface) {
      return .failure(Refusal(reason: .notPermitted(obstacle)))
    }
    // A single part of a key cannot be checked.
    guard workspace.manifest.keys[id]?.isPart != true else { return .failure(Refusal(reason: .noCheck)) }
    let checker: KeyChecker?
    do throws(CheckAnswer) {
      checker = try workspace.project.checks.checker(of: provider, through: transport)
    } catch {
      return .failure(Refusal(reason: .noAddress(error.reason)))
    }
    guard let checker else { return .failure(Refusal(reason: .noCheck)) }
    guard let value = try? store.value(of: id, version: nil) else { return .failure(Refusal(reason: .closed)) }
    return .success(
      Question(
        key: id, provider: provider, version: record.version,
        issued: record.version.birth,
        renewal: workspace.manifest.keys[id].map { Renewal($0) } ?? Renewal(recorded: record.facts), value: value,
        checker: checker))
  }

  private func asked(
    _ questions: [String: [Question]], _ transport: RemoteTransport
  ) async throws(Failure) -> [(question: Question, answer: VerifyReport.Answer)] {
    let count = questions.values.reduce(0) { $0 + $1.count }
    guard count > 0 else { return [] }
    let world = workspace.world
    let display = world.console.activity(LiveLine(waiting: ["checking \(count) \(count == 1 ? "key" : "keys")"]))
    let (answers, wasInterrupted) = try await display.showing { () async throws(Failure) in
      await world.console.cancelling {
        await ProviderPace.ask(questions, through: transport) { question in
          let answer = await question.checker.check(question.value, issued: question.issued)
          return VerifyReport.Answer(answer.outcome, answer.facts, reason: answer.reason, at: world.now)
        }
      }
    }
    guard !wasInterrupted else { throw Failure(.interrupted, "Interrupted", "Nothing was recorded.") }
    return answers
  }

  /// Records verdicts about values that are still current. Without one, the store is not locked.
  /// - Returns: the keys whose outcome was recorded.
  private func record(
    _ answers: [(question: Question, answer: VerifyReport.Answer)], timeout: Duration?
  ) async throws(Failure) -> Set<Identifier<Key>> {
    let verdicts = answers.filter(\.answer.outcome.isVerdict)
    guard !verdicts.isEmpty else { return [] }
    let (place, world, identities) = (workspace.place, workspace.world, identities)
    let display = world.console.activity(LiveLine(waiting: ["waiting for the lock"]))
    let lock = try await display.showing { () async throws(Failure) in
      try await world.console.ending { () async throws(Failure) in
        try await Failure.awaiting { () async throws(StoreError) in
          try await StoreLock.acquire(
            for: place.location, command: "keyplan verify", job: world.job, since: world.now,
            timeout: timeout ?? .zero)
        }
      }
    }
    defer { withExtendedLifetime(lock) {} }
    let store = try await place.waiting(in: world) { () throws(Failure) in
      try OpenStore.open(place, identities, .writing, under: lock)
    }
    return try Failure.from { () throws(StoreError) in
      let recorded = try store.recorded()
      guard let serial = recorded.store?.serial else { return [] }
      var changes: [RecordChange] = []
      var keys: Set<Identifier<Key>> = []
      for (question, answer) in verdicts {
        // The value may have been replaced meanwhile.
        guard let record = recorded.keys[question.key], record.version.number == question.version.number,
          record.version.fingerprint == question.version.fingerprint
        else { continue }
        let check = KeyCheck(answer.outcome, at: answer.at, expires: answer.facts.expires)
        changes.append(.key(question.key, record.checked(check, revision: serial + 1), value: nil))
        keys.insert(question.key)
      }
      _ = try store.commit(changes, expecting: serial, at: world.now)
      return keys
    }
  }
}
