import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

@testable import KeyplanStore

/// Everything that can be read of a store that `fill` has filled.
struct StoreContent: Equatable {
  let facts: StoreFacts
  let keys: [Identifier<Key>: KeyRecord]
  let surface: Surface
  let interrupted: [Address: Moment]
  let values: [[UInt8]]
}

extension SealedStore {
  /// Two keys, one of them with two versions, and something of the other kinds.
  func fill() throws {
    try put(["alpha": "value of alpha", "beta": "value of beta"])
    try put(["alpha": "second value of alpha"])
    try commit([.allow(ExternalAccess(.host, "example.com"), []), .began(.recipients)])
  }

  func content() throws -> StoreContent {
    let recorded = try recorded()
    let wanted: [(String, Int64?)] = [("alpha", nil), ("beta", nil), ("alpha", 1)]
    return StoreContent(
      facts: try facts(), keys: recorded.keys, surface: recorded.surface, interrupted: recorded.interrupted,
      values: try wanted.map { try value(of: name($0.0), version: $0.1).withBytes { Array($0) } })
  }
}
