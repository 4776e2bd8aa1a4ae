import KeyplanModel
import KeyplanPorts
import Testing

@testable import KeyplanStore

@Suite("The address of a shared store")
struct PostgresAddressTests {
  private func address(_ text: String, _ variables: [String: String] = [:]) throws -> PostgresAddress {
    try PostgresAddress(text, project: "shop", environment: "production", variables: variables)
  }

  @Test("names each file that libpq reads because of it, or of a variable")
  func configurationFiles() throws {
    for known in ConfigurationVariable.all {
      guard let option = known.option else { continue }
      let named = try address("postgres://db/k?\(option)=/a").configurationFiles([known.name: "/b"])
      #expect(named.contains { $0.path == "/a" } && !named.contains { $0.path == "/b" }, "\(option)")
      let given = try address("postgres://db/k").configurationFiles([known.name: "/b"])
      #expect(given.contains { $0 == (known.name, "/b") }, "\(known.name)")
    }
    for other in ["sslrootcert=system", "sslkey=pkcs11:a"] {
      #expect(try !address("postgres://db/k?\(other)").configurationFiles([:]).contains { !$0.path.hasPrefix("/") })
    }
  }

  @Test(
    "is read as libpq reads it",
    arguments: [
      (text: "postgres://", found: [:] as [String: String]),
      (text: "postgresql://db", found: ["host": "db"]),
      (text: "postgres:///keys", found: ["dbname": "keys"]),
      (
        text: "postgres://me:p%40ss%3Aw@db.example.com:5433/keys",
        found: ["host": "db.example.com", "port": "5433", "user": "me", "password": "p@ss:w", "dbname": "keys"]
      ),
      (text: "postgres://a,b:2,[::1]:3/k", found: ["host": "a,b,::1", "port": ",2,3", "dbname": "k"]),
      (text: "postgres://%2Frun%2Fpg/k?user=x", found: ["host": "/run/pg", "dbname": "k", "user": "x"]),
      (text: "postgres://?service=prod", found: ["service": "prod"]),
      (
        text: "postgres://db/k?sslmode=require&password=x",
        found: ["host": "db", "dbname": "k", "sslmode": "require", "password": "x"]
      ),
    ])
  func reading(_ row: (text: String, found: [String: String])) throws {
    #expect(try PostgresURI.parameters(of: row.text) == row.found)
  }

  @Test(
    "that cannot be read is refused, without a word of it",
    arguments: [
      "mysql://canary", "postgres://me:canary@host:canary/k", "postgres://[::canary/k", "postgres://h/k?canary",
      "postgres://h/%zzcanary", "postgres://h/k?sslmode=canary", "postgres://h/k?connect_timeout=canary",
      "postgres://h/%00canary",
      "postgres://h/k?project=", "postgres://[::1]canary/k",
    ])
  func malformed(_ text: String) throws {
    let error = try #require(throws: StoreError.self) { _ = try address(text) }
    #expect(error.code == .refused)
    #expect(!"\(error)".contains("canary"))
  }

  @Test(
    "of another machine means a server that is verified, whatever the surroundings say",
    arguments: [
      (text: "postgres://db.example.com/k", variables: [:] as [String: String], mode: "verify-full" as String?),
      (text: "postgres://db.example.com/k", variables: ["PGSSLMODE": "disable"], mode: "verify-full"),
      (text: "postgres:///k", variables: ["PGHOST": "db.example.com"], mode: "verify-full"),
      (text: "postgres://?service=prod", variables: [:], mode: "verify-full"),
      (text: "postgres:///k", variables: ["PGSERVICE": "prod"], mode: "verify-full"),
      (text: "postgres://localhost,db/k", variables: [:], mode: "verify-full"),
      (text: "postgres://localhost/k?hostaddr=192.0.2.1", variables: [:], mode: "verify-full"),
      (text: "postgres://localhost/k", variables: ["PGHOSTADDR": "192.0.2.1"], mode: "verify-full"),
      (text: "postgres://127.0.0.1.example.com/k", variables: [:], mode: "verify-full"),
      (text: "postgres://db/k?sslmode=require", variables: [:], mode: "require"),
      (text: "postgres://localhost/k", variables: [:], mode: nil),
      (text: "postgres://127.0.0.1/k", variables: [:], mode: nil),
      (text: "postgres://%2Frun/k", variables: [:], mode: nil),
      (text: "postgres:///k", variables: [:], mode: nil),
    ])
  func verified(_ row: (text: String, variables: [String: String], mode: String?)) throws {
    #expect(try address(row.text, row.variables).connecting["sslmode"] == row.mode)
  }

  @Test(
    "that asks for less is warned about, unless nobody stands between",
    arguments: [
      (text: "postgres://db/k?sslmode=disable", isWarned: true),
      (text: "postgres://db/k?sslmode=prefer", isWarned: true),
      (text: "postgres://db/k?sslmode=require", isWarned: true),
      (text: "postgres://db/k?sslmode=verify-ca", isWarned: true),
      (text: "postgres://db/k?sslmode=verify-full", isWarned: false), (text: "postgres://db/k", isWarned: false),
      (text: "postgres://localhost/k?sslmode=disable", isWarned: false),
    ])
  func warned(_ row: (text: String, isWarned: Bool)) throws {
    #expect((try address(row.text).warning != nil) == row.isWarned)
  }

  @Test("is shown without user, password and options")
  func shown() throws {
    let secret = try address("postgres://me:canary@a:1,b/keys?passfile=canary&project=web")
    #expect(secret.description == "postgres://a:1,b/keys (web/production)")
    #expect(secret.hasPassword)
    #expect(try address("postgres://?service=prod").description == "postgres:///?service=prod (shop/production)")
  }

  @Test(
    "leads others to the same place",
    arguments: [
      (
        text: "postgres://me:canary@a:1,b/keys?passfile=canary&sslrootcert=/x",
        lasting: "postgres://a:1,b/keys?project=shop",
        isWhole: true
      ),
      (
        "postgres://me@%2Frun%2Fpg:5433/my%20keys?project=a%26b&schema=team",
        "postgres://%2Frun%2Fpg:5433/my%20keys?project=a%26b&schema=team", true
      ),
      ("postgres://?service=prod", "postgres:///?project=shop&service=prod", true),
      ("postgres://db", "postgres://db/?project=shop", false),
      ("postgres:///keys", "postgres:///keys?project=shop", false),
    ])
  func lasting(_ row: (text: String, lasting: String, isWhole: Bool)) throws {
    let (one, other) = (try address(row.text), try address(row.lasting))
    #expect(one.lasting == row.lasting && one.isWhole == row.isWhole)
    #expect(other.lasting == row.lasting && other.schema == one.schema && other.project == one.project)
    for word in ["host", "port", "dbname", "service"] { #expect(other.parameters[word] == one.parameters[word]) }
  }

  @Test("is a project's own, and takes the schema that it names")
  func projects() throws {
    #expect(try address("postgres://db/k").project == "shop")
    #expect(try address("postgres://db/k").schema == "keyplan")
    let named = try address("postgres://db/k?project=web&schema=Team%20%22A%22")
    #expect(named.project == "web")
    #expect(PostgresSchema(named).keyring.contains("\"Team \"\"A\"\"\".keyring"))
    #expect(named.connecting["project"] == nil && named.connecting["schema"] == nil)
  }

  @Test("leads to another project only at the same server, in the same schema, with the same protection")
  func sameServer() throws {
    func found(_ text: String, _ other: String) throws -> String? {
      try address(text).sameServer(as: try address(other).identity)?.project
    }
    #expect(try found("postgres://db/k", "postgres://me:pw@db/k?project=other&connect_timeout=3") == "other")
    #expect(try found("postgres://db/k?schema=s", "postgres://db/k?project=a%26b%3D%25&schema=s") == "a&b=%")
    #expect(try found("postgres://db/k?project=mine", "postgres://db/k?project=other") == nil, "it names its own")
    for other in [
      "postgres://db:5433/k", "postgres://elsewhere/k", "postgres://db/j", "postgres://db/k?schema=s",
      "postgres://db/k?sslmode=disable", "postgres://db/k?hostaddr=192.0.2.1", "postgres://?service=k",
    ] {
      #expect(
        try found("postgres://db/k", other + (other.contains("?") ? "&" : "?") + "project=other") == nil, "\(other)")
    }
    let staging = try PostgresAddress("postgres://db/k", project: "other", environment: "staging", variables: [:])
    #expect(try address("postgres://db/k").sameServer(as: staging.identity) == nil)
    #expect(try address("postgres://db/k").sameServer(as: "file:/tmp/default.db") == nil)
  }

  @Test("that is known by its identity is shown as an address")
  func shownIdentity() throws {
    let place = try address("postgres://me:pw@db/k?sslmode=require").identity
    #expect(PostgresAddress.shown(identity: place) == "postgres://db/k?project=shop&sslmode=require")
  }
}
