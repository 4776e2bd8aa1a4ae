package import KeyplanCore
internal import KeyplanLocal
package import KeyplanReporting

/// What this version can read from and write to.
package enum KnownBackends {
  /// By name.
  package static var all: [BackendDescription] { LocalBackends.descriptions.sorted { $0.name < $1.name } }

  /// - Throws: `Failure` for a name that no backend has.
  package static func named(_ name: String) throws(Failure) -> BackendDescription {
    let all = all
    if let backend = all.first(where: { $0.name == name }) { return backend }
    let near = Suggestion.nearest(to: name, among: all.map(\.name))
    throw Failure(
      .failed, "Unknown backend", "There is no backend \"\(name)\".",
      hint: near.map { "Did you mean \($0)?" } ?? "List them with `keyplan backends`.")
  }
}
