internal import KeyplanReporting
package import KeyplanSecrets
internal import KeyplanStore

/// What `get`, `env` and `run` read: a store, or the sources themselves in a project that has none.
package enum ValueReading {
  /// The value of `KEY` or `active.SLOT`.
  /// - Throws: `Failure`, and `Project.Rejected` where there is no store and the manifest has errors.
  package nonisolated(nonsending) static func value(named name: String, in world: World) async throws -> SecretBox {
    let place = try ResolvedStore(in: world)
    if let sources = try await StorelessReading(insteadOf: place, isForAll: false, in: world) {
      return try sources.value(named: name)
    }
    return try await StoreReading.reading(at: place, wanting: .few, in: world) { store throws(Failure) in
      try store.value(named: name)
    }
  }

  /// The variables of `env` and `run`.
  /// - Throws: `Failure`, and `Project.Rejected` where there is no store and the manifest has errors.
  package nonisolated(nonsending) static func exports(
    _ selection: ExportSelection, in world: World
  ) async throws -> [Export] {
    let place = try ResolvedStore(in: world)
    if let sources = try await StorelessReading(insteadOf: place, isForAll: true, in: world) {
      return try sources.exports(selection)
    }
    return try await StoreReading.reading(at: place, in: world) { store throws(Failure) in
      try store.exports(selection)
    }
  }
}
