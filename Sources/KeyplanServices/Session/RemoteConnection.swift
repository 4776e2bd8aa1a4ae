package import KeyplanHTTP
package import KeyplanSecrets

/// A value for a field of a connection.
package enum FieldInput: Redacted, Sendable {
  case text(String)
  case secret(SecretBox)
}

/// A connection to a service: its address and credentials.
package struct RemoteConnection: Sendable {
  /// Distinguishes the connections of one run: each signs in once.
  package let name: String
  package let fields: [String: FieldInput]
  /// Looks for the machine's own credential; nil if the connection declares one.
  package var ambient: (@Sendable (AmbientChain) async throws(RemoteFailure) -> AmbientCredential)?

  package init(name: String, fields: [String: FieldInput]) {
    self.name = name
    self.fields = fields
  }
}

/// A place in a service: a project, an environment, a path.
package struct RemotePlace: Sendable {
  package let connection: RemoteConnection
  package let fields: [String: String]

  package init(connection: RemoteConnection, fields: [String: String] = [:]) {
    self.connection = connection
    self.fields = fields
  }
}

/// The functions for sending requests and for time.
package struct RemoteTransport: Sendable {
  package var send: @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse
  package var pause: @Sendable (Duration) async -> Void
  /// Seconds since 1970.
  package var now: @Sendable () -> Int64

  package init(
    send: @escaping @Sendable (HTTPRequest) async throws(HTTPError) -> HTTPResponse,
    pause: @escaping @Sendable (Duration) async -> Void, now: @escaping @Sendable () -> Int64
  ) {
    self.send = send
    self.pause = pause
    self.now = now
  }

  /// Sends over the network. Whether and when a request is repeated is up to the description, not to the client.
  /// - Parameter now: seconds since 1970.
  package init(_ settings: HTTPSettings, now: @escaping @Sendable () -> Int64) {
    var settings = settings
    settings.retrying.attempts = 1
    settings.bodyLimit = min(settings.bodyLimit, 1 << 20)
    let client = HTTPClient(settings)
    self.init(
      send: { (request) async throws(HTTPError) in try await client.send(request) },
      pause: { try? await Task.sleep(for: $0) }, now: now)
  }
}
