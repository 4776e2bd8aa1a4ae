internal import KeyplanJSON
internal import KeyplanModel
package import KeyplanReporting
package import KeyplanSecrets

/// The command line of python-keyring, which pip, uv and twine run: `keyring get SERVICE USER`.
package struct KeyringHelper: Sendable {
  private let host: HelperHost
  /// Nil for every user.
  private let username: String?
  /// Whether a service without a scheme is answered.
  private let allowsBareHost: Bool

  package init(host: HelperHost, username: String?, allowsBareHost: Bool) throws(Failure) {
    if let username { try HelperOption.check(username, "--username") }
    (self.host, self.username, self.allowsBareHost) = (host, username, allowsBareHost)
  }

  /// Whether the words of a command line request the credential of this helper. Nothing is stored or deleted.
  package func accepts(_ words: [String]) throws(Failure) -> Bool {
    guard words.count == 3, words[0] == "get" else { return false }
    let (service, user) = (words[1], words[2])
    try HelperRequest.check(service, "service")
    try HelperRequest.check(user, "user")
    if let username, !username.utf8.elementsEqual(user.utf8) { return false }
    if let address = HTTPSAddress(service) { return address.host == host }
    return allowsBareHost && HelperHost(service) == host
  }

  package func answer(_ credential: HelperCredential) -> SecretBox {
    var writer = SecretWriter()
    writer.append(credential.value)
    writer.append("\n")
    return writer.finished()
  }

  package func setup(_ line: HelperLine) -> String {
    """
    # An executable file keyring, in a directory on PATH:
    \(line.script)
    # For pip, once: pip config set global.keyring-provider subprocess
    # For uv: UV_KEYRING_PROVIDER=subprocess
    # In both, the index is https://\(username ?? "USER")@\(host)/…

    """
  }
}
