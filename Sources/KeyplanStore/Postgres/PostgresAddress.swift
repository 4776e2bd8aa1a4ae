package import KeyplanApply
package import KeyplanSecrets

/// Where a shared store lies: the database, and which of its stores.
///
/// libpq completes what the address leaves out, from a service file, PG* variables and `~/.pgpass`. What it does not get to decide is
/// whether the server is verified: see `security`.
package struct PostgresAddress: Hashable, Sendable {
  /// libpq's own keywords and values.
  let parameters: [String: String]
  /// The schema that holds keyplan's tables.
  let schema: String
  /// Whose store it is. Two projects in one database never meet.
  package private(set) var project: String
  /// Whether the address itself says whose store is meant.
  private let namesProject: Bool
  /// Which of the project's stores.
  package let environment: String
  /// How the connection is protected.
  let security: PostgresSecurity
  /// How long connecting may take.
  let patience: Duration

  /// Whether a store is given as an address and not as a file.
  package static func isAddress(_ text: String) -> Bool { text.contains("://") }

  /// Whether the address holds a password. It then is as secret as that.
  package let hasPassword: Bool

  /// - Parameters:
  ///   - project: where the address does not name one.
  ///   - password: where the address has none; goes before PGPASSWORD and `~/.pgpass`.
  ///   - variables: those of the process, of which libpq reads PG* by itself.
  /// - Throws: `refused`, without a word of the address, which may hold a password.
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
    let seconds = found.removeValue(forKey: "connect_timeout") ?? variables["PGCONNECT_TIMEOUT"] ?? "10"
    guard let seconds = Int(seconds), (1...600).contains(seconds) else {
      throw PostgresURI.malformed("connect_timeout is not a number of seconds from 1 to 600")
    }
    patience = .seconds(seconds)
    security = try PostgresSecurity(found, variables)
    parameters = found
  }

  /// The address as people may see it: no user, no password, no option.
  package var description: String {
    let service = parameters["service"].map { "?service=\($0)" } ?? ""
    return "postgres://\(places { $0 })/\(parameters["dbname"] ?? "")\(service) (\(project)/\(environment))"
  }

  /// The same place for somebody elsewhere, as an address: without user and password, and without what concerns one machine only.
  package var lasting: String {
    var options: [(String, String)] = [("project", project)]
    if schema != "keyplan" { options.append(("schema", schema)) }
    if let service = parameters["service"] { options.append(("service", service)) }
    let query = options.map { "\($0)=\(PostgresURI.encoded($1))" }.joined(separator: "&")
    return "postgres://\(places(PostgresURI.encoded))/\(PostgresURI.encoded(parameters["dbname"] ?? ""))?\(query)"
  }

  /// What tells this place from others, and how the connection to it is protected: every part of the address but those that
  /// say who connects and how patiently. Two addresses with the same identity send the same to the same server.
  package var identity: String {
    let personal: Set = ["user", "password", "passfile", "application_name", "host", "port", "dbname", "service"]
    let others = parameters.filter { !personal.contains($0.key) }.sorted { $0.key < $1.key }
      .map { "&\(PostgresURI.encoded($0.key))=\(PostgresURI.encoded($0.value))" }.joined()
    return "\(lasting)&environment=\(PostgresURI.encoded(environment))\(others)"
  }

  /// The same address for the project whose store has this identity.
  /// - Returns: nil if the address names a project itself, or if anything but the project differs: then something would be sent to
  ///   another place, or in another way.
  package func sameServer(as identity: String) -> PostgresAddress? {
    guard !namesProject, let project = (try? PostgresURI.parameters(of: identity))?["project"] else { return nil }
    var other = self
    other.project = project
    return other.identity == identity ? other : nil
  }

  /// An identity as an address for people.
  package static func shown(identity: String) -> String {
    let (address, query) = PostgresURI.split(identity[...], at: "?")
    let options = (query ?? "").split(separator: "&").filter { !$0.hasPrefix("environment=") }
    return "\(address)?\(options.joined(separator: "&"))"
  }

  /// Whether `lasting` alone leads there: else PG* variables or the user's name have a part in it, which differ elsewhere.
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

  /// What somebody who may be listening on the way, or answering in the server's place, could do; nil where nothing.
  package var warning: String? { security.warning }

  /// libpq takes it as a string that ends with a zero byte.
  private static func text(_ password: SecretBox) throws(StoreError) -> String {
    let text = password.withBytes { $0.contains(0) ? nil : String(validating: $0, as: UTF8.self) }
    guard let text else {
      throw StoreError(
        .refused, "The password of the store's server cannot be used: it is no text.",
        hint: "Look at what the reference under `password` leads to.")
    }
    return text
  }

  /// Everything that libpq is told.
  var connecting: [String: String] {
    var all = parameters
    for (keyword, value) in security.parameters where all[keyword] == nil { all[keyword] = value }
    if all["application_name"] == nil { all["application_name"] = "keyplan" }
    all["client_encoding"] = "UTF8"
    return all
  }
}
