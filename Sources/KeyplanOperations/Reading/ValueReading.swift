internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanReporting
package import KeyplanSecrets
internal import KeyplanStore

/// The values of `get`, `env` and `run`: from a store, or from the sources in a project without one.
package enum ValueReading {
  /// The value of `KEY` or `active.SLOT`.
  /// - Throws: `Failure`, and `Project.Rejected` for a project without a store whose manifest has errors.
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
  /// - Throws: `Failure`, and `Project.Rejected` for a project without a store whose manifest has errors.
  package nonisolated(nonsending) static func exports(
    _ selection: ExportSelection, in world: World
  ) async throws -> [Export] {
    let place = try ResolvedStore(in: world)
    if let sources = try await StorelessReading(insteadOf: place, isForAll: true, in: world) {
      return try sources.exports(selection)
    }
    let exports = try await StoreReading.reading(at: place, in: world) { store throws(Failure) in
      try store.exports(selection)
    }
    if exports.isEmpty { warnOfNothing(in: world) }
    return exports
  }

  /// Programs that get no variable fail later and elsewhere. The manifest is read only to say why there is none.
  private static func warnOfNothing(in world: World) {
    let declared = (try? Project(in: world))?.reading.manifest?.keys ?? [:]
    let names = declared.filter { $0.value.facts.variable != nil }.keys.sorted().map { "\"\($0)\"" }
    world.console.warn(
      names.isEmpty
        ? Warning(
          "Nothing to export", "No key has a variable.",
          hint: "Declare keys under `keys` in the manifest, each with a provider or its own `variable`.")
        : Warning(
          "Nothing to export",
          "The store has no value for a variable. The manifest declares \(Spans.list(names, showing: 4)).",
          hint: "keyplan apply stores the values of declared keys."))
  }
}
