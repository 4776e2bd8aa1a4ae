internal import KeyplanLocal
package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanRemote
package import KeyplanReporting

/// The backends that this version can read from and write to.
package enum KnownBackends {
  /// By name.
  package static var all: [BackendDescription] {
    (LocalBackends.descriptions + RemoteBackends.names.compactMap { RemoteBackends.description($0) })
      .sorted { $0.name < $1.name }
  }

  /// The types of targets that write values to files in plain text.
  package static var plainFiles: Set<String> {
    Set(LocalBackends.descriptions.filter { $0.target?.isFile == true && !$0.isEncrypted }.map(\.name))
  }

  /// The names, in order. No description of a service is read for them.
  package static var names: [String] { (LocalBackends.descriptions.map(\.name) + RemoteBackends.names).sorted() }

  /// The documents that the statements about a backend come from.
  package static func sources(of backend: BackendDescription) -> [CitedDocument] {
    LocalBackends.citations(backend.name) + RemoteBackends.citations(backend.name)
  }

  /// The way in which keys are made through connections of a type; nil if none are.
  static func issuer(_ name: String) -> IssuerGrammar? { RemoteBackends.description(name)?.issuer }

  /// - Throws: `Failure` for a name that no backend has.
  package static func named(_ name: String) throws(Failure) -> BackendDescription {
    if let backend = LocalBackends.descriptions.first(where: { $0.name == name }) ?? RemoteBackends.description(name) {
      return backend
    }
    let near = Suggestion.nearest(to: name, among: names)
    throw Failure(
      .failed, "Unknown backend", "There is no backend \"\(name)\".",
      hint: near.map { "Did you mean \($0)?" } ?? "List them with `keyplan backends`.")
  }
}
