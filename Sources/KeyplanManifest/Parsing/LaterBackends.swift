import KeyplanModel

/// Planned backends that a manifest may name, but that this version does not support.
enum LaterBackends {
  static let all: [BackendDescription] = [
    // On macOS, a backend of the program has its place.
    source("keychain")
  ]

  private static func source(
    _ name: String, _ title: String? = nil, fields: [BackendField] = [], target: TargetGrammar? = nil
  ) -> BackendDescription {
    BackendDescription(
      name, title: title, isSupported: false, connection: ConnectionGrammar(fields, isOptional: true),
      reference: ReferenceGrammar(.place(what: "a place"), selector: .field, example: "\(name)://path", isLocal: false),
      target: target)
  }
}
