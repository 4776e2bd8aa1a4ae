import KeyplanHTTP
package import KeyplanModel
package import KeyplanSecrets

/// Asks a provider whether it accepts a key.
package struct KeyChecker: Sendable {
  /// Whether the check was judged in full by neither the provider nor its own client.
  package let isPreview: Bool
  private let requests: CheckRequests
  private let transport: RemoteTransport

  /// Nil for a description without a check. Nothing is sent.
  /// - Parameter address: replaces the description's own address, and those of other regions.
  /// - Throws: `CheckAnswer` if there is no valid address.
  package init?(_ api: SecretAPI, at address: String?, through transport: RemoteTransport) throws(CheckAnswer) {
    guard let requests = try CheckRequests(api, at: address) else { return nil }
    isPreview = api.isPreview
    self.requests = requests
    self.transport = transport
  }

  /// The hosts that a key may be sent to, with their ports, in order.
  package var hosts: [String] { requests.hosts }

  /// Sends one request, or one to each region until one of them knows the key.
  /// - Parameter issued: the time at which the key was issued, or else stored.
  package func check(_ key: SecretBox, issued: Moment) async -> CheckAnswer {
    let check = requests.check
    let isSendable = key.withBytes { bytes in
      bytes.first.map { $0 > 0x20 } == true && bytes.last.map { $0 > 0x20 } == true
        && check.keys.map { $0.matches(bytes) } ?? true
    }
    guard isSendable else {
      return CheckAnswer(.unknown, reason: RemoteMessages.otherKeys)
    }
    var refusal: CheckAnswer?
    var doubt: CheckAnswer?
    for address in requests.addresses {
      let answer = await ask(address, key)
      switch answer.outcome {
      case .invalid: refusal = answer
      case .unknown, .throttled: doubt = doubt ?? answer
      default: return answer
      }
    }
    // A region that did not answer may be the one that knows the key.
    if let doubt { return doubt }
    guard let refusal else { return CheckAnswer(.unknown, reason: RemoteMessages.reason(.address)) }
    guard let activation = check.activation, transport.now() < issued.seconds + activation.seconds else {
      return refusal
    }
    return refusal.pending(for: activation)
  }

  private func ask(_ address: RequestBuilder, _ key: SecretBox) async -> CheckAnswer {
    let check = requests.check
    var bindings = requests.bindings
    bindings["key"] = .secret(key)
    let request: HTTPRequest
    do throws(RequestFault) {
      request = try address.request(
        check.request, bindings, signedBy: check.auth, isRepeatable: false, at: transport.now())
    } catch {
      return CheckAnswer(.unknown, reason: RemoteMessages.reason(error))
    }
    do throws(HTTPError) {
      let response = try await transport.send(request)
      return CheckAnswer(response, to: check, with: key, bindings, host: address.host)
    } catch {
      return CheckAnswer(.unknown, reason: "\(error).", isUnreachable: error.isUnreachable)
    }
  }
}
