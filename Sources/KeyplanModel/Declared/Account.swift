/// A calendar account as the manifest declares it.
package struct Account: Hashable, Sendable {
  /// Owner and service. A sign-in is valid only for this pair.
  package let facts: AccountFacts
  /// The declared calendar, by its name or id; nil for the account's preferred one.
  package let calendar: String?
  /// The way to get tokens.
  package let signIn: SignIn
  /// Whether the client is in Google's publishing status *Testing*.
  package let isTesting: Bool
  /// The references to the secrets that the service requires.
  package let secrets: Secrets
  /// The reference to a refresh token to adopt, for a sign-in without a person; nil if a person signs in.
  package let token: Reference?
  /// The maximum age of a sign-in.
  package let expiry: Expiry?
  /// The location of the declaration.
  package let place: FileLocation?

  /// The ways to get tokens.
  package enum SignIn: String, Sendable, Codable, CaseIterable {
    /// A person, in a browser on this machine.
    case browser
    /// A person, on another device.
    case device
    /// A key file signs for itself.
    case serviceAccount
    /// The client, in its own name.
    case clientCredentials
    /// Without tokens: each request contains user and password.
    case password

    /// Whether a person must agree before there is a first token.
    package var needsPerson: Bool { self == .browser || self == .device }
    /// Whether there are tokens at all.
    package var hasTokens: Bool { self != .password }
  }

  /// References to the secrets other than tokens.
  package struct Secrets: Hashable, Sendable {
    /// The client's secret.
    package let client: Reference?
    /// The password of an account without tokens.
    package let password: Reference?
    /// A service account's key file.
    package let keyFile: Reference?

    /// Nil for what the sign-in does not need.
    package init(client: Reference? = nil, password: Reference? = nil, keyFile: Reference? = nil) {
      self.client = client
      self.password = password
      self.keyFile = keyFile
    }

    package var all: [Reference] { [client, password, keyFile].compactMap(\.self) }
  }

  /// Trusts its arguments: the manifest's reader has checked them.
  package init(
    facts: AccountFacts, calendar: String? = nil, signIn: SignIn, isTesting: Bool = false,
    secrets: Secrets = Secrets(), token: Reference? = nil, expiry: Expiry? = nil, place: FileLocation? = nil
  ) {
    self.facts = facts
    self.calendar = calendar
    self.signIn = signIn
    self.isTesting = isTesting
    self.secrets = secrets
    self.token = token
    self.expiry = expiry
    self.place = place
  }

  /// All references that it has.
  package var references: [Reference] { secrets.all + [token].compactMap(\.self) }

  /// The permissions that are required before the service is contacted: hosts that get a credential, and the accesses of references.
  package var surface: Set<ExternalAccess> { Set(surfaceTerms.keys) }

  /// The same with the terms of each: for a host, the references to the credentials that are sent to it. A password is sent with
  /// every request, so its term includes the user and the address: one host may serve many.
  package var surfaceTerms: [ExternalAccess: Set<String>] {
    let holder = signIn == .password ? " of \(facts.account) at \(facts.url ?? "")" : ""
    let credentials = Set(references.map { "credential \($0)\(holder)" })
    var terms = Dictionary(uniqueKeysWithValues: facts.hosts.map { ($0, credentials) })
    for reference in references {
      if let item = reference.surface { terms[item, default: []].formUnion(reference.terms) }
    }
    return terms
  }
}
