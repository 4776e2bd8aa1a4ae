package import KeyplanHTTP
package import KeyplanModel
package import KeyplanPorts

/// The machine that all connections of one run share.
package struct RemoteEnvironment: Sendable {
  package let variables: [String: String]
  /// The user's home directory, absolute; nil if unknown.
  package let home: String?
  /// The manifest's folder, absolute.
  package let folder: String
  package let http: HTTPSettings
  /// Makes the client of a connection from its settings.
  package let transport: @Sendable (HTTPSettings) -> RemoteTransport
  /// Reads a reference that needs no connection: a variable, a file, a command.
  package let read: @Sendable (Reference) async -> SourceAnswer
  package let programs: any ProgramRunning
  /// The reason that a file named by the environment may not be used; nil if it may.
  package let refusal: @Sendable (_ path: String) -> AccessFailure?

  package init(
    variables: [String: String], home: String?, folder: String, http: HTTPSettings,
    transport: @escaping @Sendable (HTTPSettings) -> RemoteTransport,
    read: @escaping @Sendable (Reference) async -> SourceAnswer, programs: any ProgramRunning,
    refusal: @escaping @Sendable (_ path: String) -> AccessFailure? = { _ in nil }
  ) {
    self.variables = variables
    self.home = home
    self.folder = folder
    self.http = http
    self.transport = transport
    self.read = read
    self.programs = programs
    self.refusal = refusal
  }

  /// The value of a variable; nil if it is not set or empty.
  package func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
}
