package import KeyplanModel

extension SecretAPI {
  /// The requests that make, list and revoke keys of a provider.
  package struct Rotate: Hashable, Sendable {
    package var mint: Mint
    /// Nil only where a person makes the keys.
    package var list: KeyList?
    package var disable: Request?
    /// Nil only where a person makes the keys.
    package var revoke: Request?

    package enum Mint: Hashable, Sendable {
      case request(MintRequest)
      /// The provider has no request for it.
      case manual(ManualMint)
    }
  }

  /// A request that makes one key.
  package struct MintRequest: Hashable, Sendable {
    package var request: Request
    package var id: Extract
    /// The parts of the key by name; one, or several that work only together.
    package var values: [Named<Extract>]
    package var expires: Extract?
    /// The maximum size of a label in bytes, if the provider has one.
    package var longestLabel: Int?

    /// Whether the key is named. Otherwise the new key is the one whose id was not listed before.
    package var isLabelled: Bool { request.variables.contains(MintRequest.label) }

    package static let label = "label"
  }

  /// A request that lists keys.
  package struct KeyList: Hashable, Sendable {
    package var read: Read
    package var id: Extract
    /// Nil if keys have no names.
    package var name: Extract?
    package var created: Extract?
    /// Conditions for listed keys that do not count: revoked ones, or the provider's own. An entry that lacks the member counts.
    package var except: Match?
    /// The number of all entries, if the answer has it: a list of another length is not complete.
    package var total: AnswerPointer?
    /// The time during which a new key may be missing from the list.
    package var delay = Interval(seconds: 0)
  }
}
