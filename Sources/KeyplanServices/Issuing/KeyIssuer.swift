import KeyplanHTTP
import KeyplanJSON
package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// Makes, lists, disables and revokes the keys of one place at a provider.
package struct KeyIssuer: Sendable {
  package let rotate: SecretAPI.Rotate
  package let session: PlaceSession

  /// Nil for a description without rotation. Nothing is sent.
  /// - Throws: `KeyIssuerFailure` if a field has no value or an unusable one.
  package init?(_ service: RemoteService, at place: RemotePlace) throws(KeyIssuerFailure) {
    guard let rotate = service.api.rotate else { return nil }
    self.rotate = rotate
    do throws(RemoteFailure) {
      session = try service.session(for: place)
    } catch {
      throw KeyIssuerFailure(.refused, error)
    }
  }

  /// The hosts that are sent a credential, with their ports. Nothing is sent to find out.
  package func hosts() throws(KeyIssuerFailure) -> Set<String> {
    do throws(RemoteFailure) {
      return try session.hosts()
    } catch {
      throw KeyIssuerFailure(.refused, error)
    }
  }

  /// The instructions for a person to make a key; nil if there is a request for it.
  package var manual: ManualMint? { if case .manual(let manual) = rotate.mint { manual } else { nil } }
  /// Whether keys are found by label. Otherwise the new key is the one whose id was not listed before.
  package var hasLabels: Bool { mintRequest?.isLabelled ?? false }
  package var canDisable: Bool { rotate.disable != nil }
  package var canRevoke: Bool { rotate.revoke != nil }

  /// A label as the provider has it: a long one is shortened.
  package func fitting(_ label: String) -> String { KeyLabel.fitting(label, longest: mintRequest?.longestLabel) }

  /// Makes a key. The request is sent once, whatever its answer is.
  /// - Throws: `KeyIssuerFailure`; of kind *unknown* if a key may have been made.
  package func mint(_ label: String) async throws(KeyIssuerFailure) -> MintedKey {
    guard let mint = mintRequest else { throw KeyIssuerFailure(.unsupported, IssuerMessages.noMint) }
    guard KeyLabel.isUsable(label) else { throw KeyIssuerFailure(.refused, IssuerMessages.label) }
    var bindings = Bindings()
    bindings[SecretAPI.MintRequest.label] = .text(fitting(label))
    let (answer, all) = try await send(mint.request, .mint, bindings, needsJSON: true)
    guard answer.wasSent else { throw KeyIssuerFailure(.unreachable, session.sender.failure(answer)) }
    guard answer.meaning == .ok, let json = answer.json else {
      let failure = session.sender.failure(answer, writing: true)
      guard isDefinite(answer, mint.request) else {
        throw KeyIssuerFailure(.unknown, IssuerMessages.lostMint(session.host, failure.reason))
      }
      throw KeyIssuerFailure(KeyIssuerFailure.Kind(answer.meaning), failure)
    }
    return try mint.key(in: json, all, host: session.host)
  }

  /// Makes a key unusable, in such a way that a person can undo it.
  /// - Parameter label: the label that it was made with, which some providers need again.
  package func disable(_ id: String, label: String) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    guard let disable = rotate.disable else { throw KeyIssuerFailure(.unsupported, IssuerMessages.noDisable) }
    var bindings = Bindings()
    bindings["id"] = .text(id)
    bindings[SecretAPI.MintRequest.label] = .text(fitting(label))
    let (answer, _) = try await send(disable, .write, bindings)
    if answer.isConfirmation { return .done }
    guard answer.wasSent else { throw KeyIssuerFailure(.unreachable, session.sender.failure(answer)) }
    return try await gone(id, after: answer, whenLost: nil)
  }

  /// Revokes a key permanently. Succeeds with `.alreadyGone` if the key no longer exists.
  package func revoke(_ id: String) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    guard let revoke = rotate.revoke else { throw KeyIssuerFailure(.unsupported, IssuerMessages.noRevoke) }
    var bindings = Bindings()
    bindings["id"] = .text(id)
    let (answer, _) = try await send(revoke, .write, bindings)
    if answer.isConfirmation { return .done }
    guard answer.wasSent else { throw KeyIssuerFailure(.unreachable, session.sender.failure(answer)) }
    return try await gone(id, after: answer, whenLost: .done)
  }

  /// By label, the ids of all keys with exactly one of these labels, which are those that lost answers left behind. The keys are listed once.
  package func orphans(of labels: [String]) async throws(KeyIssuerFailure) -> [String: [String]] {
    guard hasLabels else { throw KeyIssuerFailure(.unsupported, IssuerMessages.noLabels) }
    var ids: [[UInt8]: [String]] = [:]
    for key in try await list() { ids[Array((key.name ?? "").utf8), default: []].append(key.id) }
    return Dictionary(labels.map { ($0, ids[Array(fitting($0).utf8)] ?? []) }) { first, _ in first }
  }

  private var mintRequest: SecretAPI.MintRequest? {
    if case .request(let request) = rotate.mint { request } else { nil }
  }

  /// Whether an answer other than success shows that nothing happened. A gateway answers with 5xx or a redirection whatever
  /// became of the request, unless the description knows the answer as the provider's own.
  private func isDefinite(_ answer: ClassifiedAnswer, _ request: SecretAPI.Request) -> Bool {
    let own = request.outcomes + session.api.outcomes
    if let rule = answer.rule, own.contains(rule), answer.meaning != .unreachable, answer.meaning != .unreadable {
      return true
    }
    return (400..<500).contains(answer.status) && answer.status != 408
  }

  /// The meaning of an unsuccessful answer to ending a key. Only a complete list without the key shows that it does not exist.
  /// - Parameter lost: the result if the request may have been processed; nil if the request removes nothing.
  private func gone(
    _ id: String, after answer: ClassifiedAnswer, whenLost lost: IssuedKeyEnd?
  ) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    let failure = session.sender.failure(answer, writing: true)
    let isRefusal = (400..<500).contains(answer.status) && answer.status != 408
    if isRefusal, [.denied, .unauthenticated, .throttled].contains(answer.meaning) {
      throw KeyIssuerFailure(KeyIssuerFailure.Kind(answer.meaning), failure)
    }
    let isListed: Bool
    do throws(KeyIssuerFailure) {
      isListed = try await list().contains { $0.id == id }
    } catch {
      throw KeyIssuerFailure(.unknown, IssuerMessages.unconfirmed(session.host, failure.reason))
    }
    guard isListed else { return isRefusal ? .alreadyGone : lost ?? .alreadyGone }
    guard !isRefusal else {
      guard answer.meaning != .missing else {
        throw KeyIssuerFailure(.refused, IssuerMessages.stillListed(session.host))
      }
      throw KeyIssuerFailure(.refused, failure)
    }
    throw KeyIssuerFailure(.unknown, IssuerMessages.unconfirmed(session.host, failure.reason))
  }

  private func send(
    _ request: SecretAPI.Request, _ purpose: RequestSender.Purpose, _ bindings: Bindings, needsJSON: Bool = false
  ) async throws(KeyIssuerFailure) -> (ClassifiedAnswer, Bindings) {
    do throws(RemoteFailure) {
      let all = try await session.bindings(for: request.variables).merging(bindings)
      return (try await session.sender.send(request, purpose, all, needsJSON: needsJSON), all)
    } catch {
      throw .before(error)
    }
  }
}

extension ClassifiedAnswer {
  /// Whether it reports success in a way that a portal or a proxy does not: with JSON, or with the status for no content.
  fileprivate var isConfirmation: Bool { meaning == .ok && (json != nil || status == 204) }
}

extension SecretAPI.MintRequest {
  /// The key in an answer that reports success.
  fileprivate func key(
    in json: JSONAnswer, _ bindings: Bindings, host: String
  ) throws(KeyIssuerFailure) -> MintedKey {
    func extracted(_ extract: Extract?) -> ExtractedValue? {
      extract.flatMap { try? $0.value(in: json.root, key: nil, of: json, bindings) }.flatMap(\.self)
    }
    let id = extracted(id)?.text.flatMap { $0.isEmpty ? nil : $0 }
    var parts: [String: SecretBox] = [:]
    for value in values {
      guard case .string(let part)? = extracted(value.value), part.count > 0 else { continue }
      parts[value.name] = part
    }
    guard let id, parts.count == values.count else {
      throw KeyIssuerFailure(.unknown, IssuerMessages.keyNotReceived(host), id: id)
    }
    return MintedKey(
      id: id, parts: KeyParts(parts), expires: extracted(expires)?.text.flatMap { CheckFacts.moment($0) })
  }
}
