package import KeyplanModel
import KeyplanPorts
package import KeyplanSecrets

/// A connection and the machine that it is used on.
package struct ConnectionContext: Sendable {
  package let connection: Connection
  package let backend: BackendDescription
  package let environment: RemoteEnvironment

  package init(_ connection: Connection, to backend: BackendDescription, in environment: RemoteEnvironment) {
    self.connection = connection
    self.backend = backend
    self.environment = environment
  }

  /// The text of a field: as declared, else from the first of its variables that is set, else its default.
  package func text(_ name: String) -> String? {
    if connection.declared.contains(name) {
      guard case .text(let text)? = connection.values[name] else { return nil }
      return text
    }
    return variable(of: name)?.value ?? field(name)?.defaultText
  }

  /// The declared texts of a list; empty if it is not declared.
  package func list(_ name: String) -> [String] {
    guard case .list(let texts)? = connection.values[name] else { return [] }
    return texts
  }

  /// The declared file of a field.
  package func file(_ name: String) -> Reference? {
    guard case .file(let reference)? = connection.values[name] else { return nil }
    return reference
  }

  /// Whether a field has a value: declared, or from a variable. Nothing is read for it.
  package func hasValue(_ name: String) -> Bool { connection.declared.contains(name) || variable(of: name) != nil }

  /// The secret of a field: the value of its reference, or else of the first of its variables that is set. Nil if neither
  /// is declared or set.
  /// - Throws: the reason that the declared secret cannot be read. Another credential is not used in its place.
  package func secret(_ name: String) async throws(AccessFailure) -> SecretBox? {
    guard let value = connection.values[name] else {
      return variable(of: name).map { SecretBox(Array($0.value.utf8)) }
    }
    guard let reference = value.reference else { return nil }
    switch await environment.read(reference) {
    case .value(let secret): return secret
    case .missing(let reason):
      throw AccessFailure(
        .unauthenticated, RemoteMessages.credentialMissing(name, reference.description, reason: reason))
    case .failed(let failure): throw failure
    }
  }

  private func field(_ name: String) -> BackendField? { backend.connection?.allFields.first { $0.name == name } }

  /// The first variable of a field that is set.
  private func variable(of name: String) -> (name: String, value: String)? {
    for variable in field(name)?.variables ?? [] {
      if let value = environment.variable(variable) { return (variable, value) }
    }
    return nil
  }
}
