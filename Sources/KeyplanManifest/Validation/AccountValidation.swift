import KeyplanModel
import KeyplanPlanning

extension ManifestValidator {
  mutating func readAccounts() {
    let policies = Dictionary(raw.policies.map { ($0.name.name, $0.value) }) { first, _ in first }
    for calendar in raw.calendars {
      notes.subject = .calendar(calendar.name)
      if let account = account(calendar, policies) { accounts[calendar.name] = account }
    }
    notes.subject = nil
  }

  /// Nil, with a diagnostic, if the account is invalid.
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

  /// - Parameter rotation: whether a new value can be generated at the end, and otherwise the hint.
  mutating func expiry(
    _ written: RawExpiry?, _ policies: [String: Expiry?],
    rotation: (isPossible: Bool, hint: String) = (false, "Use then: warn or then: retire.")
  ) -> Expiry? {
    switch written {
    case nil: return nil
    case .own(let own, let then):
      if own.then == .rotate, !rotation.isPossible { reportRotation(at: then, hint: rotation.hint) }
      return own
    case .policy(let name):
      if let policy = policies[name.value] {
        if policy?.then == .rotate, !rotation.isPossible { reportRotation(at: name.place, hint: rotation.hint) }
        return policy
      }
      let form = ManifestParser.inlineExpiry(for: name.value)
      undeclared(
        "policy", name,
        hint: ["never", "none", "no"].contains(name.value.lowercased())
          ? "Without an end, leave out \"expires\"." : form.map { "Did you mean \($0)?" },
        among: { _ in Array(policies.keys) })
      return nil
    }
  }

  private mutating func reportRotation(at place: FileLocation, hint: String) {
    notes.report(
      .conflict, "\"then: rotate\" needs a value that keyplan generates or has made at its provider.",
      hint: hint, at: place)
  }

  /// Whether the fields are valid for the service and compatible with each other. Each error is reported.
  private mutating func fits(
    _ written: RawCalendar, _ service: AccountFacts.Service, _ signIn: Account.SignIn
  ) -> Bool {
    let count = notes.diagnostics.count
    for (field, message) in service.foreignFields where written.places[field] != nil {
      notes.report(.conflict, message, at: written.places[field])
    }
    switch service {
    case .caldav: need(["url", "password"], written)
    case .google where signIn == .clientCredentials:
      notes.report(
        .conflict, "Google does not support signIn: clientCredentials.", hint: "Use signIn: serviceAccount.",
        at: written.places["signIn"])
    case .outlook where signIn == .serviceAccount:
      notes.report(
        .conflict, "Microsoft has no service accounts.", hint: "Use signIn: clientCredentials.",
        at: written.places["signIn"])
    case .google where signIn == .serviceAccount: need(["keyFile"], written)
    case .outlook where signIn == .clientCredentials: need(["client", "client.secret", "client.tenant"], written)
    case .google, .outlook: need(["client"], written)
    }
    if signIn != .serviceAccount, let place = written.places["keyFile"] {
      notes.report(.conflict, "\"keyFile\" requires signIn: serviceAccount.", at: place)
    }
    if !signIn.needsPerson, let place = written.places["token"] {
      notes.report(
        .conflict, "\"token\" replaces an interactive sign-in, which this account does not have.", at: place)
    }
    let hasFaults = notes.diagnostics.count > count
    if service == .google, signIn.needsPerson, written.places["client.secret"] == nil,
      written.places["endpoints"] == nil, !hasFaults
    {
      notes.report(
        .questionable, "Google rejects clients without a secret, even desktop apps.",
        hint: "Add to \"client\", for example: secret: env://GOOGLE_CLIENT_SECRET", at: written.places["client"])
    }
    return !hasFaults
  }

  private mutating func need(_ fields: [String], _ written: RawCalendar) {
    for field in fields where written.places[field] == nil {
      let parts = field.split(separator: ".")
      // If the client itself is missing, its fields are not reported.
      guard parts.count == 1 || written.clientPlace != nil else { continue }
      notes.report(
        .missingField, "The field \"\(parts.last ?? "")\" is missing.",
        at: parts.count == 1 ? written.place : written.clientPlace)
    }
  }
}

extension AccountFacts.Service {
  /// The default way to sign in. Google does not allow sign-in on another device for calendars.
  fileprivate var usualSignIn: Account.SignIn {
    switch self {
    case .google: .browser
    case .outlook: .device
    case .caldav: .password
    }
  }

  /// Fields that only other services have, with the message for each.
  fileprivate var foreignFields: [(field: String, message: String)] {
    switch self {
    case .caldav:
      ["client", "signIn", "token", "keyFile", "endpoints"].map {
        ($0, "\"\($0)\" is not allowed for CalDAV accounts, which have a url and a password.")
      }
    case .google:
      [
        ("url", "Google's addresses are built in; write other addresses under \"endpoints\"."),
        ("password", "Google does not accept passwords from programs."),
        ("client.tenant", "\"tenant\" is only for Microsoft accounts."),
      ]
    case .outlook:
      [
        ("url", "Microsoft's addresses are built in; write other addresses under \"endpoints\"."),
        ("password", "Microsoft does not accept passwords from programs."),
        ("client.publishing", "\"publishing\" is only for Google accounts."),
      ]
    }
  }
}
