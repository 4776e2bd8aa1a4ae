import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting

let google = AccountFacts(service: .google, account: "ada@gmail.com", client: "1")
let own = AccountCalendar(id: "ada@gmail.com", name: "Ada", isPrimary: true)
let team = AccountCalendar(id: "t1", name: "Team")

extension World {
  /// Declares an account whose hosts are allowed already, and that the service knows.
  mutating func declareAccount(
    _ name: String = "home", _ facts: AccountFacts = google, calendar: String? = nil, signIn: Account.SignIn = .browser,
    secrets: Account.Secrets = Account.Secrets(), token: Reference? = nil, expiry: Expiry? = nil,
    isAllowed: Bool = true
  ) throws {
    let account = Account(
      facts: facts, calendar: calendar, signIn: signIn, secrets: secrets, token: token, expiry: expiry)
    accounts[named(name)] = account
    guard isAllowed else { return }
    let missing = account.surface.subtracting(try store.recorded().surface.items)
    let terms = account.surfaceTerms
    _ = try store.commit(
      missing.sorted().map { RecordChange.allow($0, terms[$0] ?? []) }, expecting: serial, at: now)
  }

  /// Has an account take over what another program left at a place, where the service knows the token.
  mutating func takeOver(_ name: String = "home", from place: String = "old", isRemoved: Bool = true) throws {
    guard let facts = accounts[named(name)]?.facts else { preconditionFailure("\(name) is not declared") }
    let origin = Migration.Origin.place(remote(place), isRemoved: isRemoved)
    migrations.append(Migration(migrations.count + 1, origin, to: .account(named(name))))
    say("theirs", at: place)
    service.know(Array("theirs".utf8), of: facts.account)
  }

  /// What a person does who runs `keyplan calendar sign-in`.
  @discardableResult
  mutating func signIn(_ name: String = "home") async throws -> Outcome {
    guard let facts = accounts[named(name)]?.facts else { preconditionFailure("\(name) is not declared") }
    grants = [named(name): service.signIn(facts.account)]
    defer { grants = [:] }
    let observed = try await observe()
    return try await apply(Plan.amending(manifest, by: .signIn(named(name)), with: observed, at: now).plan)
  }

  func account(_ name: String = "home") throws -> AccountRecord? { try store.recorded().accounts[named(name)] }

  func tokens(_ name: String = "home") throws -> [String?] {
    let tokens = try store.tokens(of: named(name))
    return [tokens?.access, tokens?.refresh].map { $0.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } }
  }

  func findings() async throws -> [Finding] {
    Finding.drift(of: manifest, in: try await observe(), at: now).findings
  }
}
