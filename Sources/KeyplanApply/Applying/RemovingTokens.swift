internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

extension Run {
  /// Takes away what another program had of an account, once the service has taken the token that was in it, and the store
  /// has given back what the service answered.
  func removeTakenOver(_ step: Step, _ id: Identifier<Account>, from origin: String, _ number: Int) async {
    guard let (migration, reference) = original(of: takeovers[id], step, from: origin, number) else { return }
    let answer = await applier.observer.files([reference])[reference] ?? .missing()
    await remove(step, migration, reference, answer) { obstacle(toRemoving: $0, at: reference, step, id) }
  }

  private func obstacle(
    toRemoving left: SecretBox, at reference: Reference, _ step: Step, _ id: Identifier<Account>
  ) -> StepResult? {
    let token: SecretBox
    let found = applier.observer.token(in: .value(left), for: id, applier.manifest)
    guard found.isAlone else {
      return .failed(.holdsOthers(reference))
    }
    switch found.answer {
    case .value(let value): token = value
    case .missing: return .stale(.noToken(reference))
    case .failed(let failure): return .failed(failure.at(reference))
    }
    if let planned = step.ground.source, applier.observer.fingerprints.fingerprint(token, of: id) != planned {
      return .stale(.changed(.source(reference)))
    }
    guard let account = applier.manifest.accounts[id], let record = accounts[id], record.facts == account.facts,
      let signIn = record.signIn, signIn.ended == nil, signIn.adopted == applier.store.fingerprint(token, of: id)
    else {
      return .stale(.otherToken(reference, id))
    }
    guard signIn.refreshedAt != nil else {
      return .stale(.tokenUnused(account.facts.service, id))
    }
    return unkept(id, token)
  }

  /// Why the store cannot be relied on for the account's tokens; nil where it gives them back.
  private func unkept(_ id: Identifier<Account>, _ token: SecretBox) -> StepResult? {
    do throws(StoreError) {
      guard let kept = try applier.store.tokens(of: id)?.refresh else {
        return .failed(.otherTokenKept(id, isMissing: true))
      }
      // A run that continues what another one began does not know the answer; the store returns what it sealed.
      guard let answer = granted[id] else { return nil }
      let isSame = (answer.refresh ?? token).equals(kept)
      return isSame ? nil : .failed(.otherTokenKept(id, isMissing: false))
    } catch {
      return .failed(error)
    }
  }
}
