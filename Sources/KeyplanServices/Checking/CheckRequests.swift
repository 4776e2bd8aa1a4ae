import KeyplanModel

/// The addresses that a check asks, in order.
package struct CheckRequests: Sendable {
  package let check: SecretAPI.Check
  package let addresses: [RequestBuilder]
  package let bindings: Bindings

  /// Nil for a description without a check.
  /// - Parameter address: replaces the description's own address, and those of other regions.
  /// - Throws: `CheckAnswer` if there is no valid address.
  package init?(_ api: SecretAPI, at address: String?) throws(CheckAnswer) {
    guard let check = api.check else { return nil }
    self.check = check
    do throws(RemoteFailure) {
      bindings = try Bindings(address.map { ["address": .text($0)] } ?? [:], of: api.connection)
    } catch {
      throw CheckAnswer(.unknown, reason: error.reason)
    }
    do throws(RequestFault) {
      var addresses = [try RequestBuilder(api, bindings)]
      for region in address == nil ? check.regions : [] {
        var other = api
        other.base = region
        addresses.append(try RequestBuilder(other, bindings))
      }
      self.addresses = addresses
    } catch {
      throw CheckAnswer(.unknown, reason: RemoteMessages.reason(error))
    }
  }

  /// The hosts that a key may be sent to, with their ports, in order.
  package var hosts: [String] { addresses.map { AccountFacts.host(of: $0.base) ?? $0.host } }
}
