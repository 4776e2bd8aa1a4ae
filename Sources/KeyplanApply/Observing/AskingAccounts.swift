internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// The secrets that a service requires in addition to tokens.
struct AccountSecrets: Redacted {
  var client: SecretBox?
  var password: SecretBox?
  var keyFile: SecretBox?

  /// The reason that one is missing.
  struct Missing: Error {
    let reason: String
    let isUnreachable: Bool
  }
}

extension AccountAsk {
  init(
    id: Identifier<Account>, account: Account, record: AccountRecord?, tokens: AccountTokens? = nil,
    secrets: AccountSecrets
  ) {
    self.init(
      id: id, account: account, record: record, tokens: tokens, clientSecret: secrets.client,
      password: secrets.password, keyFile: secrets.keyFile)
  }
}

extension Observer {
  /// Asks the services about accounts that can be asked without getting a token first. Nothing is asked before its surface
  /// is allowed, and no token goes anywhere but where it was signed in.
  func askAccounts(
    _ manifest: Manifest, _ recorded: Recorded, only selection: Selection?, within limits: ObservationLimits
  ) async -> [Identifier<Account>: AccountFinding] {
    guard let service else { return [:] }
    let unsupported = Set(manifest.unsupported.map(\.address))
    let asked = manifest.accounts.filter { id, _ in
      !unsupported.contains(.calendar(id)) && selection?.contains(.calendar(id)) ?? true
    }
    return await askInTurn(asked) { id, account in await ask(id, account, recorded, service, within: limits) }
  }

  private func ask(
    _ id: Identifier<Account>, _ account: Account, _ recorded: Recorded, _ service: any AccountService,
    within limits: ObservationLimits
  ) async -> AccountFinding? {
    let record = recorded.accounts[id].flatMap { $0.facts == account.facts ? $0 : nil }
    guard account.signIn.hasTokens else {
      // The terms of a host name the references to what it is sent: another reference is not permitted before it was applied.
      guard account.surface.allSatisfy(limits.permits), account.secrets.all.allSatisfy(limits.permits),
        !account.secrets.all.contains(where: limits.runsUntrusted)
      else {
        return .heldBack
      }
      switch await secrets(of: account) {
      case .failure(let missing): return .noSecret(reason: missing.reason, isUnreachable: missing.isUnreachable)
      case .success(let secrets):
        return await hearing("calendar.\(id)") {
          await service.ask(AccountAsk(id: id, account: account, record: record, password: secrets.password))
        }
      }
    }
    guard let record, let signIn = record.signIn, signIn.ended == nil else { return nil }
    guard record.facts.hosts.allSatisfy(recorded.surface.contains) else { return .heldBack }
    guard signIn.isLive(at: clock()) else { return .expired }
    let tokens: AccountTokens?
    do throws(StoreError) { tokens = try self.tokens?.tokens(of: id) } catch {
      return error.code == .planOnly
        ? .planOnly(reason: error.detail) : .noSecret(reason: error.detail, isUnreachable: false)
    }
    return await hearing("calendar.\(id)") {
      await service.ask(AccountAsk(id: id, account: account, record: record, tokens: tokens))
    }
  }

  /// Reads what an account's references name. Its surface must have been allowed.
  func secrets(of account: Account) async -> Result<AccountSecrets, AccountSecrets.Missing> {
    let answers = await answers(to: account.secrets.all)
    var secrets = AccountSecrets()
    for (reference, place) in [
      (account.secrets.client, \AccountSecrets.client), (account.secrets.password, \.password),
      (account.secrets.keyFile, \.keyFile),
    ] as [(Reference?, WritableKeyPath<AccountSecrets, SecretBox?>)] {
      guard let reference else { continue }
      switch answers[reference] {
      case .value(let value): secrets[keyPath: place] = value
      case .missing, nil:
        return .failure(AccountSecrets.Missing(reason: "\(reference) has no value.", isUnreachable: false))
      case .failed(let failure):
        return .failure(
          AccountSecrets.Missing(reason: failure.at(reference).reason, isUnreachable: failure.kind.isOutage))
      }
    }
    return .success(secrets)
  }

  private func answers(to references: [Reference]) async -> [Reference: SourceAnswer] {
    Dictionary(zip(references, await read(references))) { first, _ in first }
  }

  /// The values at references, byte for byte where their sources support that.
  func files(_ references: [Reference]) async -> [Reference: SourceAnswer] {
    var answers: [Reference: SourceAnswer] = [:]
    for (scheme, references) in Dictionary(grouping: references, by: \.scheme) {
      let given: [SourceAnswer]
      if let source = sources[scheme] as? any RawFileSource {
        given = await hearing(references[0].description) { await source.readFiles(references) }
      } else {
        given = await read(references)
      }
      for (reference, answer) in zip(references, given) { answers[reference] = answer }
    }
    return answers
  }

  /// The refresh token for an account in what another program has left, and whether it is the only one there.
  func token(
    in answer: SourceAnswer, for id: Identifier<Account>, _ manifest: Manifest
  ) -> (answer: SourceAnswer, isAlone: Bool) {
    guard case .value(let left) = answer else { return (answer, true) }
    guard let service, let account = manifest.accounts[id] else {
      return (.unreadable("This version of keyplan takes no tokens over."), true)
    }
    switch service.token(in: left, for: id, account) {
    case .token(let token, let isAlone): return (.value(token), isAlone)
    case .unusable(let reason): return (.unreadable(reason), true)
    }
  }

  /// Asks the sources of tokens for accounts whose own are of no use, and the places from which tokens are still to be
  /// taken over, or still to be taken away.
  func askTokens(
    _ manifest: Manifest, _ recorded: Recorded, only selection: Selection?, within limits: ObservationLimits
  ) async -> (findings: [Identifier<Account>: SourceFinding], sharedSignIns: Set<Identifier<Account>>) {
    let unsupported = Set(manifest.unsupported.map(\.address))
    let takeovers = manifest.takeovers(in: recorded)
    var references: [Identifier<Account>: Reference] = [:]
    for (id, account) in manifest.accounts
    where !unsupported.contains(.calendar(id)) && selection?.contains(.calendar(id)) ?? true {
      let record = recorded.accounts[id]
      let isOfUse = record?.facts == account.facts && record?.signIn != nil && record?.signIn?.ended == nil
      if let migration = takeovers[id] {
        if !isOfUse || migration.removesOriginal { references[id] = migration.original }
      } else if !isOfUse {
        references[id] = account.token
      }
    }
    let allowed = references.filter { limits.permitsUnrecorded($0.value) }
    let answers = await answers(to: allowed.filter { takeovers[$0.key] == nil }.map(\.value))
    let files = await files(allowed.filter { takeovers[$0.key] != nil }.map(\.value))
    var findings: [Identifier<Account>: SourceFinding] = [:]
    var sharedSignIns: Set<Identifier<Account>> = []
    for (id, reference) in references {
      var answer = answers[reference]
      if takeovers[id] != nil {
        let left = files[reference].map { token(in: $0, for: id, manifest) }
        if left?.isAlone == false { sharedSignIns.insert(id) }
        answer = left?.answer
      }
      switch answer {
      case nil: findings[id] = .notAllowed(index: 0)
      case .missing: findings[id] = .missing
      case .failed(let failure): findings[id] = .failed(index: 0, failure)
      case .value(let token):
        findings[id] = .value(fingerprints.fingerprint(token, of: id), index: 0, looksRight: true)
      }
    }
    return (findings, sharedSignIns)
  }
}
