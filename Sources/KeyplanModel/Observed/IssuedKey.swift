/// A key at a provider that keyplan made, or whose id a person gave with its value, and that is not revoked there. Only these are ever
/// revoked.
package struct IssuedKey: Hashable, Sendable, Codable {
  /// The provider's id for it.
  package let id: String
  /// The label that it was made with; empty for one that a person made.
  package let label: String
  /// The place where it was made.
  package let place: Destination
  /// The number of the version that has its value.
  package private(set) var version: Int64
  /// The time at which it was made; for one that a person made, the time at which its value was stored.
  package let mintedAt: Moment
  /// The expiry date, if the provider sets one.
  package private(set) var expires: Moment?
  /// The time of the last renewal; nil for none.
  package private(set) var renewedAt: Moment?
  /// Whether the last renewal was for less than two thirds of the term before, so that the key is near its maximum lifetime.
  package private(set) var isEnding = false
  /// The time at which it was disabled; nil if it was not.
  package var disabledAt: Moment?

  package init(
    id: String, label: String, place: Destination, version: Int64, mintedAt: Moment, expires: Moment? = nil,
    renewedAt: Moment? = nil, isEnding: Bool = false, disabledAt: Moment? = nil
  ) {
    self.renewedAt = renewedAt
    self.isEnding = isEnding
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
  /// The key as steps name it.
  package var reference: IssuedKeys.Key { IssuedKeys.Key(place: place, id: id) }

  /// The time at which it is renewed or replaced: when a third of its lifetime is left. Nil for one that does not expire.
  package var refreshDue: Moment? { expires.map { $0 - Interval(seconds: term($0).seconds / 3) } }

  private func term(_ end: Moment) -> Interval { end - (renewedAt ?? mintedAt) }

  /// The key once the provider has put its end off, as far as it did.
  package func renewed(until end: Moment, at now: Moment) -> IssuedKey {
    var key = self
    if let expires { key.isEnding = (end - now).seconds * 3 < term(expires).seconds * 2 }
    (key.expires, key.renewedAt) = (end, now)
    return key
  }

  /// The key once another version has its value.
  package func of(_ version: KeyVersion) -> IssuedKey {
    var key = self
    key.version = version.number
    return key
  }

  /// A copy that belongs to no stored version.
  package var replaced: IssuedKey {
    var key = self
    key.version = 0
    return key
  }
}

/// A request to create a key whose outcome is unknown. If it created one, the key's value is lost. After another key was created, it lists
/// keys that appeared meanwhile, until a plan has reported them, and the labels of requests that may still arrive.
package struct MintAttempt: Hashable, Sendable {
  package let place: Destination
  /// The label of that key.
  package let label: String
  /// The ids that were listed before; nil for keys with labels.
  package let known: [String]?
  /// The ids of keys whose values did not arrive.
  package private(set) var lost: [String]
  /// The time of the request.
  package let began: Moment
  /// For keys without labels, the ids of keys that appeared before another one was created. Plans report them until the next apply.
  package private(set) var unexplained: [String]
  /// The labels of requests of which no key was found, and which the provider may still carry out.
  package let late: [String]

  package init(
    place: Destination, label: String, known: [String]? = nil, lost: [String] = [], began: Moment,
    unexplained: [String] = [], late: [String] = []
  ) {
    self.place = place
    self.label = label
    self.known = known
    self.lost = lost
    self.began = began
    self.unexplained = unexplained
    self.late = late
  }

  /// Whether the outcome of the request is still unknown.
  package var isOpen: Bool { unexplained.isEmpty && !late.contains(label) }

  /// The labels of all requests that may have created a key by now.
  package var labels: [String] { isOpen ? late + [label] : late }

  /// The time after the last unanswered request at which its key is looked for once more. Proxies and queues keep requests for minutes.
  package static let patience = Interval(seconds: 3600)

  /// The number of late requests to remember. By then, the oldest one was looked for at each of as many later requests.
  package static let lateLimit = 32

  /// The time at which the late requests are looked for once more; nil if there are none.
  package var lateDue: Moment? { late.isEmpty || isOpen ? nil : began + Self.patience }

  /// The attempt after another key was created; nil if nothing of it is left to do.
  /// - Parameters:
  ///   - ids: the keys to report.
  ///   - late: the labels of requests whose key was not found.
  ///   - known: the keys that are known now; nil for keys with labels.
  package func settled(naming ids: [String], late: [String] = [], known: [String]? = nil) -> MintAttempt? {
    guard !ids.isEmpty || !late.isEmpty else { return nil }
    return MintAttempt(
      place: place, label: late.last ?? label, known: late.isEmpty ? nil : known, began: began, unexplained: ids,
      late: late)
  }

  /// The attempt after its keys were reported; nil if nothing of it is left to do.
  package var reported: MintAttempt? { settled(naming: [], late: late, known: known) }

  /// The same once a key was made whose values did not arrive.
  package func losing(_ id: String?) -> MintAttempt {
    var attempt = self
    if let id { attempt.lost.append(id) }
    return attempt
  }

  /// The time for which the key may still be missing from the provider's list.
  /// - Parameter delay: the time for which a new key may be missing from it.
  package func remaining(of delay: Interval, at now: Moment) -> Interval {
    // If the clock was set back, the wait is not longer than the delay.
    return min(max(began + delay - now, Interval(seconds: 0)), delay)
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
