internal import KeyplanModel
internal import KeyplanPorts
internal import KeyplanSecrets

/// Finds keys that come with the value of one that leaves. Fingerprints of two keys cannot be compared, so the value is
/// taken into the domain of each leaving key: for a few only, because that costs their product.
struct RenameDetector {
  /// By the key that comes, the key that leaves.
  private(set) var found: [Identifier<Key>: Identifier<Key>] = [:]
  private let manifest: Manifest
  private let recorded: Recorded
  private let fingerprints: any Fingerprinting
  private lazy var leaving = recorded.undeclared(in: manifest).prefix(Self.bound).map { ($0, $1.version.fingerprint) }
  private var looks = 0

  /// The number of keys of each side that are compared.
  private static let bound = 64

  init(_ manifest: Manifest, _ recorded: Recorded, _ fingerprints: any Fingerprinting) {
    self.manifest = manifest
    self.recorded = recorded
    self.fingerprints = fingerprints
  }

  mutating func look(at value: SecretBox, of key: Identifier<Key>) {
    guard looks < Self.bound, recorded.keys[key] == nil, !leaving.isEmpty else { return }
    looks += 1
    found[key] = leaving.first { fingerprints.fingerprint(value, of: $0.0) == $0.1 }?.0
  }
}
