internal import KeyplanJSON
internal import KeyplanModel
package import KeyplanReporting
package import KeyplanSecrets

/// The protocol of docker-credential-helpers, which Docker, Podman, Skopeo and others run.
package struct DockerHelper: Sendable {
  private let host: HelperHost
  private let username: String

  /// Docker's own constant, by which clients recognise that a helper has no credential for a server. Any other text is an error.
  package static let notFound = "credentials not found in native keychain"

  package init(host: HelperHost, username: String) throws(Failure) {
    try HelperOption.check(username, "--username")
    (self.host, self.username) = (host, username)
  }

  /// The server of a request that is for this helper; nil for another one.
  package func server(in request: SecretBox) throws(Failure) -> String? {
    let text = request.withBytes { bytes in
      String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
    try HelperRequest.check(text, "server")
    if HelperHost(text) == host { return text }
    guard let address = HTTPSAddress(text), address.host == host, Self.paths.contains(address.path) else { return nil }
    return text
  }

  /// Those of registries' own addresses, as `docker login` writes them.
  private static let paths = ["", "/", "/v1", "/v1/", "/v2", "/v2/"]

  package func answer(_ credential: HelperCredential, for server: String) -> SecretBox {
    JSONBody.object([
      ("ServerURL", .text(server)), ("Username", .text(username)), ("Secret", .secret(credential.value)),
    ])
    .bytes()
  }

  /// The server by the name under which clients know it, and the user.
  package var list: SecretBox { JSONBody.object([(server, .text(username))]).bytes() }

  private var server: String { host.description == "index.docker.io" ? "https://index.docker.io/v1/" : "\(host)" }

  /// - Parameter name: of the key.
  package func setup(_ line: HelperLine, name: String) -> String {
    """
    # An executable file docker-credential-keyplan-\(name), in a directory on PATH:
    \(line.script)
    # In ~/.docker/config.json, or for Podman in ~/.config/containers/auth.json:
    {"credHelpers": {\(HelperLine.json(server)): \(HelperLine.json("keyplan-" + name))}}

    """
  }
}
