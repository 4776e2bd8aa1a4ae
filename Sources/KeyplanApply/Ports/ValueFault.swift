/// Why bytes cannot be a key's value, wherever they come from: what no program could be given is refused where it comes in.
package enum ValueFault: Sendable {
  case empty, tooLarge, holdsNUL

  /// The most bytes of a value: 1 MiB.
  package static let limit = 1 << 20

  /// Nil for bytes that can be one.
  package init?(in bytes: some Collection<UInt8>) {
    if bytes.isEmpty {
      self = .empty
    } else if bytes.count > Self.limit {
      self = .tooLarge
    } else if bytes.contains(0) {
      self = .holdsNUL
    } else {
      return nil
    }
  }

  /// A sentence without the value.
  package var sentence: String {
    switch self {
    case .empty: "The value is empty."
    case .tooLarge: "The value is larger than 1 MiB."
    case .holdsNUL: "The value holds a NUL byte."
    }
  }
}
