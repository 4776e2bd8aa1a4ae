import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// The address of a shared store: the database, and the store in it.
///
/// libpq completes missing parts from a service file, PG* variables and `~/.pgpass`, except for the verification of the
/// server: see `security`.
package struct PostgresAddress: Hashable, Sendable {
  /// libpq's keywords and values.
  let parameters: [String: String]
  /// The schema of keyplan's tables.
  let schema: String
  /// The project of the store. Stores of different projects in one database are separate.
  package private(set) var project: String
  /// Whether the address itself contains the project.
  private let namesProject: Bool
  /// The environment of the store.
  package let environment: String
  let security: PostgresSecurity
  /// Whether the server may be a replica that lags behind.
  package let isReplica: Bool
  /// The limit for connecting.
  let patience: Duration

  /// Whether a store is given as an address instead of a file.
  package static func isAddress(_ text: String) -> Bool { text.contains("://") }

  /// Whether the address contains a password, so that it must be kept secret.
  package let hasPassword: Bool

  /// - Parameters:
  ///   - project: used if the address contains none.
  ///   - password: used if the address contains none; takes precedence over PGPASSWORD and `~/.pgpass`.
  ///   - variables: the environment; libpq reads PG* variables by itself.
  /// - Throws: `refused`, without quoting the address, which may contain a password.
  package init(
    _ text: String, project: String, environment: String, password: SecretBox? = nil, variables: [String: String]
  ) throws(StoreError) {
    var found = try PostgresURI.parameters(of: text)
    hasPassword = found["password"] != nil
    if let password, !hasPassword { found["password"] = try Self.text(password) }
    schema = found.removeValue(forKey: "schema") ?? "keyplan"
    let named = found.removeValue(forKey: "project")
    (self.project, namesProject) = (named ?? project, named != nil)
    self.environment = environment
    for word in [schema, self.project, environment] where word.isEmpty || word.utf8.count > 200 || word.utf8.contains(0)
    {
      throw PostgresURI.malformed("its schema or project is empty or too long")
    }
    let replica = found.removeValue(forKey: "replica") ?? "false"
    guard ["true", "false"].contains(replica) else { throw PostgresURI.malformed("replica is neither true nor false") }
    isReplica = replica == "true"
    let seconds = found.removeValue(forKey: "connect_timeout") ?? variables["PGCONNECT_TIMEOUT"] ?? "10"
    guard let seconds = Int(seconds), (1...600).contains(seconds) else {
      throw PostgresURI.malformed("connect_timeout is not a number of seconds from 1 to 600")
    }
    patience = .seconds(seconds)
    security = try PostgresSecurity(found, variables)
    parameters = found
  }

  /// The address for display: without user, password and options.
  package var description: String {
    let service = parameters["service"].map { "?service=\($0)" } ?? ""
    return "postgres://\(places { $0 })/\(parameters["dbname"] ?? "")\(service) (\(project)/\(environment))"
  }

  /// The address for use on another machine: without user, password and options that concern only this one.
  package var lasting: String {
    var options: [(String, String)] = [("project", project)]
    if schema != "keyplan" { options.append(("schema", schema)) }
    if let service = parameters["service"] { options.append(("service", service)) }
    let query = options.map { "\($0)=\(PostgresURI.encoded($1))" }.joined(separator: "&")
    return "postgres://\(places(PostgresURI.encoded))/\(PostgresURI.encoded(parameters["dbname"] ?? ""))?\(query)"
  }

  /// Identifies the store and the protection of the connection: all parts of the address except user, password and
  /// time-out. With equal identities, the same data is sent to the same server.
  package var identity: String {
    let personal: Set = ["user", "password", "passfile", "application_name", "host", "port", "dbname", "service"]
    let others = parameters.filter { !personal.contains($0.key) }.sorted { $0.key < $1.key }
      .map { "&\(PostgresURI.encoded($0.key))=\(PostgresURI.encoded($0.value))" }.joined()
    return "\(lasting)&environment=\(PostgresURI.encoded(environment))\(others)"
  }

  /// The address of the project in an identity.
  /// - Returns: nil if the address contains a project itself, or if the identity differs in more than the project: then
  ///   data would be sent to another server, or in another way.
  package func sameServer(as identity: String) -> PostgresAddress? {
    guard !namesProject, let project = (try? PostgresURI.parameters(of: identity))?["project"] else { return nil }
    var other = self
    other.project = project
    return other.identity == identity ? other : nil
  }

  /// An identity as an address for display.
  package static func shown(identity: String) -> String {
    let (address, query) = PostgresURI.split(identity[...], at: "?")
    let options = (query ?? "").split(separator: "&").filter { !$0.hasPrefix("environment=") }
    return "\(address)?\(options.joined(separator: "&"))"
  }

  /// Whether `lasting` is complete. Otherwise PG* variables or the user name contribute, which may differ on other
  /// machines.
  package var isWhole: Bool {
    parameters["service"] != nil || !(parameters["host"] ?? "").isEmpty && parameters["dbname"] != nil
  }

  private func places(_ encoding: (String) -> String) -> String {
    let hosts = (parameters["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    let ports = (parameters["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    return hosts.enumerated().map { index, host in
      let port = ports.indices.contains(index) ? ports[index] : ports.count == 1 ? ports[0] : ""
      return encoding(String(host)) + (port.isEmpty ? "" : ":" + port)
    }
    .joined(separator: ",")
  }

  /// The files and directories that libpq reads because the address or a variable names them, with the origin of each.
  package func configurationFiles(_ variables: [String: String]) -> [(origin: String, path: String)] {
    var files: [(origin: String, path: String)] = []
    for known in ConfigurationVariable.all {
      guard let option = known.option else {
        if known.name == "PGSYSCONFDIR", let path = variables[known.name], !path.isEmpty {
          files.append((known.name, path))
        }
        continue
      }
      if let path = parameters[option], !path.isEmpty {
        files.append(("The address of the store", path))
      } else if let path = variables[known.name], !path.isEmpty {
        files.append((known.name, path))
      }
    }
    // Files that the address does not name, and `security` adds.
    if let path = security.parameters["sslrootcert"] { files.append(("SSL_CERT_FILE", path)) }
    // `sslrootcert=system` and `sslkey=ENGINE:KEY` are not files.
    return files.filter { $0.path != "system" && ($0.path.hasPrefix("/") || !$0.path.contains(":")) }
  }

  /// The attacks that are possible on the network; nil if there are none.
  package var warning: String? { security.warning }

  /// The password as a C string, which cannot contain NUL.
  private static func text(_ password: SecretBox) throws(StoreError) -> String {
    let text = password.withBytes { $0.contains(0) ? nil : String(validating: $0, as: UTF8.self) }
    guard let text else {
      throw StoreError(
        .refused, "The password of the store's server is not valid text.",
        hint: "Check the value of the reference under `password`.")
    }
    return text
  }

  /// All parameters for libpq.
  var connecting: [String: String] {
    var all = parameters
    for (keyword, value) in security.parameters where all[keyword] == nil { all[keyword] = value }
    if all["application_name"] == nil { all["application_name"] = "keyplan" }
    all["client_encoding"] = "UTF8"
    return all
  }
}
