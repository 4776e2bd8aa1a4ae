package import KeyplanModel

/// The records that a command is about: `keys` has those of keys, `records` all others.
package enum RecordKinds: Sendable {
  case all, keys, others

  /// Whether the record at an address is one of them.
  package func contain(_ address: Address) -> Bool {
    switch self {
    case .all: true
    case .keys: address.isKey
    case .others: !address.isKey
    }
  }
}

extension Address {
  fileprivate var isKey: Bool { if case .key = self { true } else { false } }
}
