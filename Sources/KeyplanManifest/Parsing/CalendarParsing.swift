import KeyplanModel

extension ManifestParser {
  mutating func calendar(_ tree: LayeredNode) -> RawCalendar {
    var raw = RawCalendar()
    guard let fields = fields(tree, .calendar) else { return raw }
    raw.place = tree.place
    raw.service = required("service", of: fields, in: tree)
      .flatMap { choice($0, "service", of: AccountFacts.Service.allCases) }
    raw.account = required("account", of: fields, in: tree).flatMap { text($0, "account") }?.value
    raw.calendar = text(fields["calendar"], "calendar")?.value
    raw.signIn = choice(fields["signIn"], "signIn", of: Account.SignIn.allCases.filter(\.hasTokens))
    raw.url = fields["url"].flatMap { url($0, "url") }
    for name in RawCalendar.secrets { raw.references[name] = fields[name].map { source($0) } }
    if let client = fields["client"] { self.client(client, &raw) }
    if let endpoints = fields["endpoints"], let written = self.fields(endpoints, .endpoints) {
      for endpoint in AccountFacts.Endpoint.allCases {
        raw.endpoints[endpoint] = written[endpoint.rawValue].flatMap { url($0, endpoint.rawValue) }
      }
    }
    raw.expires = fields["expires"].flatMap { expiry($0) }
    for name in Shape.calendar.fields { raw.places[name] = fields.place(of: name) }
    return raw
  }

  private mutating func client(_ tree: LayeredNode, _ raw: inout RawCalendar) {
    guard let fields = fields(tree, .client) else { return }
    raw.clientPlace = tree.place
    raw.client = required("id", of: fields, in: tree).flatMap { text($0, "id") }?.value
    raw.references["secret"] = fields["secret"].map { source($0) }
    raw.tenant = text(fields["tenant"], "tenant")?.value
    raw.isTesting = choice(fields["publishing"], "publishing", among: ["testing", "production"])?.value == "testing"
    for name in Shape.client.fields { raw.places["client.\(name)"] = fields.place(of: name) }
  }
}
