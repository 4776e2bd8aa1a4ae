/// A key that keyplan made at a provider and has not revoked there. Only these are ever revoked.
public struct IssuedKey: Hashable, Sendable, Codable {
  /// How the provider refers to it.
  public let id: String
  /// The label that it was made with.
  public let label: String
  /// Whose key it is.
  public let place: Destination
  /// The number of the version that has its value.
  public let version: Int64
  /// When it was made.
  public let mintedAt: Moment
  /// When it ends, if the provider says so.
  public let expires: Moment?
  /// When it was disabled; nil if it was not.
  public package(set) var disabledAt: Moment?

  package init(
    id: String, label: String, place: Destination, version: Int64, mintedAt: Moment, expires: Moment? = nil,
    disabledAt: Moment? = nil
  ) {
    self.id = id
    self.label = label
    self.place = place
    self.version = version
    self.mintedAt = mintedAt
    self.expires = expires
    self.disabledAt = disabledAt
  }
}

extension IssuedKey {
  /// The same key, whose value is no version of its key any more.
  package var replaced: IssuedKey {
    IssuedKey(
      id: id, label: label, place: place, version: 0, mintedAt: mintedAt, expires: expires, disabledAt: disabledAt)
  }
}

/// A request that makes a key, and of which nobody knows yet whether it did. The key's value is lost in any case.
public struct MintAttempt: Hashable, Sendable, Codable {
  /// Where.
  public let place: Destination
  /// The label of that key.
  public let label: String
  /// The ids that were listed before; nil for keys with labels.
  public let known: [String]?
  /// The ids of keys whose values did not arrive.
  public let lost: [String]

  package init(place: Destination, label: String, known: [String]? = nil, lost: [String] = []) {
    self.place = place
    self.label = label
    self.known = known
    self.lost = lost
  }

  /// The same once a key was made whose values did not arrive.
  package func losing(_ id: String?) -> MintAttempt {
    MintAttempt(place: place, label: label, known: known, lost: lost + [id].compactMap(\.self))
  }
}

extension KeyRecord {
  /// The versions whose values are stored. The pending one can be the current one.
  package var storedVersions: [KeyVersion] {
    let waiting = pending.map { $0.number == version.number ? [] : [$0] } ?? []
    return [version] + history + waiting
  }

  /// The key at the provider whose value this is; nil for a value that keyplan did not have made.
  package var issuedKey: IssuedKey? { issued.first { $0.version == version.number } }
}
