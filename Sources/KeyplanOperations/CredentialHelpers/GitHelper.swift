internal import KeyplanJSON
internal import KeyplanModel
package import KeyplanReporting
package import KeyplanSecrets

/// The protocol of git's credential helpers (gitcredentials(7), git-credential(1)): lines of `name=value`.
package struct GitHelper: Sendable {
  private let host: HelperHost
  /// Nil for every repository of the host.
  private let path: String?
  private let username: String

  /// - Throws: wrong usage for a value that cannot be in a line of the protocol or in a URL.
  package init(host: HelperHost, path: String?, username: String) throws(Failure) {
    try HelperOption.check(username, "--username")
    if let path {
      try HelperOption.check(path, "--path")
      guard !path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains(where: { "?#%".contains($0) }) else {
        throw Failure(
          .usage, "Invalid --path", "--path takes the path of a repository as its URL has it after the host.",
          hint: "--path OWNER/REPOSITORY")
      }
    }
    (self.host, self.path, self.username) = (host, path, username)
  }

  /// Whether a request is for the credential of this helper. For another one the output is empty, and git tries other helpers.
  /// - Throws: for an invalid request.
  package func accepts(_ request: SecretBox) throws(Failure) -> Bool {
    let fields = try request.withBytes { (bytes) throws(Failure) in try Self.fields(in: bytes) }
    guard fields["protocol"] == "https", let asked = fields["host"], HelperHost(asked) == host else { return false }
    guard let path else { return true }
    // Byte for byte: two ways to write an umlaut are two repositories.
    guard let asked = fields["path"] else { return false }
    return [path, path + ".git"].contains { $0.utf8.elementsEqual(asked.utf8) }
  }

  /// Only the fields to compare are copied: a request to store or erase has a password.
  private static func fields(in bytes: UnsafeRawBufferPointer) throws(Failure) -> [String: String] {
    var fields: [String: String] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.isEmpty { break }
      guard let mark = line.firstIndex(of: UInt8(ascii: "=")), mark > line.startIndex else {
        throw .malformedRequest("A line of the program's request is not NAME=VALUE.")
      }
      let name = String(decoding: line[..<mark], as: UTF8.self)
      let isCompared = ["protocol", "host", "path"].contains(name)
      guard isCompared || line.contains(where: HelperRequest.endsLine) else { continue }
      try HelperRequest.check(line, isCompared ? "\"\(name)\"" : "line")
      guard fields.updateValue(String(decoding: line[(mark + 1)...], as: UTF8.self), forKey: name) == nil else {
        throw .malformedRequest("The program's request names \"\(name)\" twice.")
      }
    }
    return fields
  }

  /// The answer in the form of git's protocol. Versions before 2.40 ignore the end.
  package func answer(_ credential: HelperCredential) -> SecretBox {
    var writer = SecretWriter()
    writer.append("username=\(username)\npassword=")
    writer.append(credential.value)
    if let end = credential.end { writer.append("\npassword_expiry_utc=\(end.seconds)") }
    writer.append("\n")
    return writer.finished()
  }

  /// The section of git's configuration. The empty value clears the list of helpers from other files: git would pass the key to them to
  /// store it.
  package func setup(_ line: HelperLine) -> String {
    // git sends the path only with useHttpPath, and compares whole components of it.
    let places = path.map { ["/\($0)", "/\($0).git"] } ?? [""]
    let sections = places.map { place in
      """
      [credential "https://\(host)\(Self.escaped(place))"]
      \thelper =
      \thelper = "!\(Self.escaped(line.shell))"

      """ + (path == nil ? "" : "\tuseHttpPath = true\n")
    }
    return "# In ~/.gitconfig:\n" + sections.joined()
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }
}
