internal import KeyplanCore
internal import KeyplanSecrets

/// Finds keys that come with the value of one that leaves. Fingerprints of two keys cannot be compared, so the value is
/// taken into the domain of each leaving key: for a few only, because that costs their product.
struct Resemblance {
  /// By the key that comes, the key that leaves.
  private(set) var found: [Identifier<Key>: Identifier<Key>] = [:]
  private let recorded: Recorded
  private let fingerprints: any Fingerprinting
  private let leaving: [(key: Identifier<Key>, fingerprint: Fingerprint)]
  private var looks = 0

  /// How many keys of each side are compared.
  private static let bound = 64

  init(_ manifest: Manifest, _ recorded: Recorded, _ fingerprints: any Fingerprinting) {
    self.recorded = recorded
    self.fingerprints = fingerprints
    let all = recorded.keys.filter { manifest.keys[$0.key] == nil }.sorted { $0.key < $1.key }
    leaving = all.prefix(Self.bound).map { ($0.key, $0.value.version.fingerprint) }
  }

  mutating func look(at value: SharedSecret, of key: Identifier<Key>) {
    guard !leaving.isEmpty, recorded.keys[key] == nil, looks < Self.bound else { return }
    looks += 1
    found[key] = leaving.first { fingerprints.fingerprint(value, of: $0.key) == $0.fingerprint }?.key
  }
}
