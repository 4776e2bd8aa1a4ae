import Testing

@testable import KeyplanModel

/// The text of a place in a service, which is recorded and read back.
@Suite("A place's text") struct PlaceTextTests {
  private static let grammar = TargetGrammar(fields: [
    BackendField("project", isRequired: true), BackendField("path", .path, isRequired: true), BackendField("scope"),
    BackendField("stage", default: "live"),
  ])

  private static func connection(_ team: String?) -> Connection {
    let backend = BackendDescription("acme", connection: ConnectionGrammar([BackendField("team", isPlace: true)]))
    return Connection(named("shop"), to: backend, team.map { ["team": .text($0)] } ?? [:])
  }

  @Test(
    "has the values that it was made of, whatever is in them",
    arguments: [
      "web", "a, b", "a (b)", "scope x", "\"", "\\", "a\"b\\c", ",", "(", ")", " ", "ü", "a\u{200B}b", "x,", "(x", "'",
      "\\u{41}", "scope", "-", "a b (team red)",
    ])
  func roundTrip(text: String) throws {
    let values = ["project": text, "path": "a/b", "scope": text, "stage": "live"]
    for team in [nil, "red", text] {
      let location = Self.grammar.location(of: values, through: Self.connection(team))
      #expect(Self.grammar.values(at: location) == values, "\(location)")
      let place = Destination(type: "shop", location: location)
      #expect(Self.connection(team).leads(to: place))
      #expect(!Self.connection("blue").leads(to: place), "\(location)")
      #expect(Self.connection(nil).leads(to: place) == (team == nil), "\(location)")
    }
  }

  @Test("is that of its connection alone, if it has no fields")
  func connectionAlone() {
    let place = Destination(
      type: "shop", location: TargetGrammar(fields: []).location(of: [:], through: Self.connection("red")))
    #expect(place.location == "(team red)" && TargetGrammar(fields: []).values(at: place.location) == [:])
    #expect(Self.connection("red").leads(to: place))
    #expect(!Self.connection("blue").leads(to: place) && !Self.connection(nil).leads(to: place))
  }

  @Test("says a default like a value, so that writing it out moves nothing")
  func defaults() {
    let short = Self.grammar.location(of: ["project": "a", "path": "b"], through: nil)
    #expect(short == "a, b, stage live")
    #expect(short == Self.grammar.location(of: ["project": "a", "path": "b", "stage": "live"], through: nil))
  }

  @Test(
    "is refused if no values make it",
    arguments: ["", "a", "a, b, c", "a, b, other c", "a, b, scope", "\"a, b", "a,b", "a, b extra", "a, \"\\u{zz}\""])
  func refused(text: String) { #expect(Self.grammar.values(at: text) == nil, "\(text)") }

  @Test("a host takes what the environment decides as the name of the variable")
  func hosts() {
    let backend = BackendDescription(
      "acme",
      connection: ConnectionGrammar(
        [
          BackendField("address", .url, variables: ["ACME_ADDR", "OLD_ADDR"]),
          BackendField("region", .label, variables: ["ACME_REGION"]),
        ], hosts: ["api.{region}.acme.example", "login.acme.example"]))
    #expect(
      Connection(named("acme"), to: backend).hosts.map(\.text) == [
        "$ACME_ADDR", "api.$ACME_REGION.acme.example", "login.acme.example",
      ])
    let declared = Connection(
      named("acme"), to: backend, ["address": .text("https://Acme.Example:99/x"), "region": .text("eu")])
    #expect(declared.hosts.map(\.text) == ["acme.example:99", "api.eu.acme.example", "login.acme.example"])
  }
}

private func named(_ name: String) -> Identifier<Connection> {
  guard let name = Identifier<Connection>(name) else { preconditionFailure("\(name) is no name") }
  return name
}
