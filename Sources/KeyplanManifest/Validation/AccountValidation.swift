import KeyplanCore

extension ManifestValidator {
  mutating func readAccounts() {
    let policies = Dictionary(raw.policies.map { ($0.name.name, $0.value) }) { first, _ in first }
    for calendar in raw.calendars {
      notes.subject = .calendar(calendar.name)
      if let account = account(calendar, policies) { accounts[calendar.name] = account }
    }
    notes.subject = nil
  }

  /// Nil, and said, where it cannot be an account.
  private mutating func account(_ calendar: Declaration<Account, RawCalendar>, _ policies: [String: Expiry?])
    -> Account?
  {
    let written = calendar.value
    guard let service = written.service else { return nil }
    let signIn = written.signIn ?? service.usualSignIn
    guard fits(written, service, signIn) else { return nil }
    let secrets = Account.Secrets(
      client: reference("secret", of: calendar), password: reference("password", of: calendar),
      keyFile: reference("keyFile", of: calendar))
    let token = reference("token", of: calendar)
    let expiry = expiry(written.expires, policies)
    guard let account = written.account else { return nil }
    let facts = AccountFacts(
      service: service, account: account, client: written.client, tenant: written.tenant, url: written.url,
      endpoints: written.endpoints)
    return Account(
      facts: facts, calendar: written.calendar, signIn: signIn, isTesting: written.isTesting, secrets: secrets,
      token: token, expiry: expiry, place: calendar.place)
  }

  private mutating func reference(_ name: String, of calendar: Declaration<Account, RawCalendar>) -> Reference? {
    switch calendar.value.references[name] {
    case .supported(let reference): return reference
    case .unsupported(let what, let place): unsupported.append(.init(.calendar(calendar.name), what, place: place))
    case .unreadable, nil: break
    }
    return nil
  }

  mutating func expiry(_ written: RawExpiry?, _ policies: [String: Expiry?]) -> Expiry? {
    switch written {
    case nil: return nil
    case .own(let own): return own
    case .policy(let name):
      if let policy = policies[name.value] { return policy }
      undeclared("policy", name, among: { _ in Array(policies.keys) })
      return nil
    }
  }

  /// Whether the fields go with the service and with each other. Each fault is said.
  private mutating func fits(
    _ written: RawCalendar, _ service: AccountFacts.Service, _ signIn: Account.SignIn
  ) -> Bool {
    let count = notes.diagnostics.count
    for (field, words) in service.foreignFields where written.places[field] != nil {
      notes.note(.conflict, words, at: written.places[field])
    }
    switch service {
    case .caldav: need(["url", "password"], written)
    case .google where signIn == .clientCredentials:
      notes.note(
        .conflict, "Google lets no client in by its own name.", hint: "Such an account has: signIn: serviceAccount",
        at: written.places["signIn"])
    case .outlook where signIn == .serviceAccount:
      notes.note(
        .conflict, "Microsoft has no service accounts.", hint: "Such an account has: signIn: clientCredentials",
        at: written.places["signIn"])
    case .google where signIn == .serviceAccount: need(["keyFile"], written)
    case .outlook where signIn == .clientCredentials: need(["client", "client.secret", "client.tenant"], written)
    case .google, .outlook: need(["client"], written)
    }
    if signIn != .serviceAccount, let place = written.places["keyFile"] {
      notes.note(.conflict, "\"keyFile\" belongs to signIn: serviceAccount.", at: place)
    }
    if !signIn.needsPerson, let place = written.places["token"] {
      notes.note(
        .conflict, "\"token\" takes the place of a person who signs in, and nobody does here.", at: place)
    }
    let hasFaults = notes.diagnostics.count > count
    if service == .google, signIn.needsPerson, written.places["client.secret"] == nil,
      written.places["endpoints"] == nil, !hasFaults
    {
      notes.note(
        .questionable, "Google refuses a client without its secret, also one for desktops.",
        hint: "Add to \"client\": secret: env://GOOGLE_CLIENT_SECRET, for example.", at: written.places["client"])
    }
    return !hasFaults
  }

  private mutating func need(_ fields: [String], _ written: RawCalendar) {
    for field in fields where written.places[field] == nil {
      let parts = field.split(separator: ".")
      // What is missing in a client that is missing itself is not said on top.
      guard parts.count == 1 || written.clientPlace != nil else { continue }
      notes.note(
        .missingField, "The field \"\(parts.last ?? "")\" is missing.",
        at: parts.count == 1 ? written.place : written.clientPlace)
    }
  }
}

extension AccountFacts.Service {
  /// How people sign in who say nothing else. Google lets no other device read calendars.
  fileprivate var usualSignIn: Account.SignIn {
    switch self {
    case .google: .browser
    case .outlook: .device
    case .caldav: .password
    }
  }

  /// The fields that another service has, and what to say of them.
  fileprivate var foreignFields: [(field: String, words: String)] {
    switch self {
    case .caldav:
      ["client", "signIn", "token", "keyFile", "endpoints"].map {
        ($0, "A CalDAV account has a url and a password, and no \"\($0)\".")
      }
    case .google:
      [
        ("url", "Google's addresses are known; others stand under \"endpoints\"."),
        ("password", "Google takes no passwords from programs."),
        ("client.tenant", "Tenants are Microsoft's."),
      ]
    case .outlook:
      [
        ("url", "Microsoft's addresses are known; others stand under \"endpoints\"."),
        ("password", "Microsoft takes no passwords from programs."),
        ("client.publishing", "Publishing is Google's."),
      ]
    }
  }
}
