import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import PostgresForTests
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Credentials that a real OpenBao makes in a real PostgreSQL.
@Suite(.enabled(if: VaultDatabase.isHere, "SKIPPED: run make setup-test: OpenBao, and PostgreSQL's server"))
struct VaultKeysTests {
  private static func now() -> Moment { Moment(seconds: Int64(Date().timeIntervalSince1970)) }

  @Test("a credential works in the database until it is revoked, and revoking it twice does nothing more")
  func life() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: try await database.token())
    #expect(!run.issuer.hasLabels && run.issuer.connection.name.name == "bao")
    #expect(try await run.issuer.list(at: database.place) == [])

    let before = Self.now()
    let minted = try await run.issuer.mint("a label", at: database.place)
    let expires = try #require(minted.expires)
    #expect(expires >= before + Interval(seconds: 3600) && expires <= Self.now() + Interval(seconds: 3600))
    #expect(run.requests.count("/creds/") == 2, "one for the list, and one that mints")
    #expect(try database.users() == [minted.user])
    #expect(try database.end(of: minted.user) >= expires)
    #expect(database.postgres.accepts(minted.user, password: minted.password))
    #expect(!database.postgres.accepts(minted.user, password: "wrong"))
    #expect(minted.id.hasPrefix("\(database.mount)/creds/\(database.role)/") && minted.parts.names.count == 2)
    for text in ["\(minted)", String(reflecting: minted)] { #expect(!text.contains(minted.password)) }

    let second = try await run.issuer.mint("a label", at: database.place)
    #expect(try await Set(run.issuer.list(at: database.place).map(\.id)) == [minted.id, second.id])
    #expect(try await run.issuer.exists(minted.id, at: database.place) == true)
    #expect(try await run.issuer.revoke(minted.id, at: database.place) == .done)
    #expect(try await run.issuer.exists(minted.id, at: database.place) == false)
    #expect(try await run.issuer.exists(second.id, at: database.place) == true)
    // Only what belongs to the role is asked about.
    #expect(await failure { try await run.issuer.exists("other/creds/role/x", at: database.place) }?.kind == .refused)
    #expect(try database.users() == [second.user])
    #expect(!database.postgres.accepts(minted.user, password: minted.password))
    #expect(try await run.issuer.revoke(minted.id, at: database.place) == .alreadyGone)
    #expect(try await run.issuer.list(at: database.place).map(\.id) == [second.id])
    // The token is the connection's own.
    await run.backend.signOut()
    #expect(try database.users() == [second.user])
  }

  @Test("a renewed credential ends later, in the database too, and one that has ended is not renewed")
  func renewal() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: try await database.token(ttl: "12h"))
    let minted = try await run.issuer.mint("", at: database.place)
    let old = try database.end(of: minted.user)
    try await database.setLifetime("3h")
    let before = Self.now()
    let renewed = try #require(try await run.issuer.renew(minted.id, at: database.place))
    #expect(renewed >= before + Interval(seconds: 3 * 3600) && renewed <= Self.now() + Interval(seconds: 3 * 3600))
    #expect(try database.end(of: minted.user) >= max(renewed, old + Interval(seconds: 3600)))
    #expect(database.postgres.accepts(minted.user, password: minted.password))

    #expect(try await run.issuer.revoke(minted.id, at: database.place) == .done)
    let failed = await failure { try await run.issuer.renew(minted.id, at: database.place) }
    #expect(failed?.kind == .refused && failed?.reason == VaultMessages.leaseEnded)
  }

  @Test("nothing but minting makes a credential")
  func reading() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: try await database.token())
    _ = await run.backend.signedInAs()
    _ = try await run.issuer.list(at: database.place)
    #expect(try await run.issuer.revoke("\(database.place.mountAndRole)/x", at: database.place) == .alreadyGone)
    #expect(await failure { try await run.issuer.renew("\(database.place.mountAndRole)/x", at: database.place) } != nil)
    #expect(await failure { try await run.issuer.orphans(of: ["x"], at: database.place) }?.kind == .unsupported)
    #expect(await failure { try await run.issuer.disable("x", label: "", at: database.place) }?.kind == .unsupported)
    #expect(run.backend.source == nil && run.backend.target == nil)
    #expect(run.requests.all.allSatisfy { !$0.contains("/v1/\(database.mount)/") })
    #expect(try database.users() == [])
  }

  // MARK: The token that makes a credential

  @Test("a credential ends with the token that made it, and that is when it expires")
  func shortToken() async throws {
    let database = try await VaultDatabase()
    let token = try await database.token(ttl: "10m")
    let run = try database.run(token: token)
    let before = Self.now()
    let minted = try await run.issuer.mint("", at: database.place)
    let expires = try #require(minted.expires)
    #expect(expires > before && expires <= Self.now() + Interval(seconds: 600))
    // The server renews it beyond that, and the database believes it.
    let renewed = try #require(try await run.issuer.renew(minted.id, at: database.place))
    #expect(renewed <= Self.now() + Interval(seconds: 600))
    #expect(try database.end(of: minted.user) > before + Interval(seconds: 1800))

    try await database.bao.make("auth/token/revoke", #"{"token":"\#(token)"}"#)
    try database.waitUntilGone()
    #expect(!database.postgres.accepts(minted.user, password: minted.password))
    let later = try database.run(token: try await database.token())
    #expect(try await later.issuer.revoke(minted.id, at: database.place) == .alreadyGone)
  }

  @Test("a token that does not expire limits nothing")
  func root() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: "root")
    let before = Self.now()
    let minted = try await run.issuer.mint("", at: database.place)
    #expect(try #require(minted.expires) >= before + Interval(seconds: 3600))
    #expect(try await run.issuer.revoke(minted.id, at: database.place) == .done)
  }

  @Test("a batch token limits what it makes, also when that is renewed through another token")
  func batchToken() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: try await database.token(.batch, ttl: "20m"))
    let minted = try await run.issuer.mint("", at: database.place)
    #expect(try #require(minted.expires) <= Self.now() + Interval(seconds: 1200))
    let other = try database.run(token: try await database.token(ttl: "12h"))
    let renewed = try #require(try await other.issuer.renew(minted.id, at: database.place))
    #expect(renewed <= Self.now() + Interval(seconds: 1200))
    #expect(try await other.issuer.revoke(minted.id, at: database.place) == .done)
    #expect(try database.users() == [])
  }

  @Test("a login that the run revokes makes no credential, because it would take it along")
  func serviceLogin() async throws {
    let database = try await VaultDatabase()
    let login = try await database.login("service")
    let run = try database.run(login: login)
    let failed = await failure { try await run.issuer.mint("", at: database.place) }
    #expect(failed?.kind == .refused && failed?.reason == VaultMessages.loginEnds)
    #expect(failed?.hint?.contains("batch") == true)
    #expect(run.requests.count("/creds/") == 0 && run.requests.count("/login") == 1)
    #expect(try database.users() == [])
    // It lists and revokes.
    let maker = try database.run(token: try await database.token())
    let minted = try await maker.issuer.mint("", at: database.place)
    #expect(try await run.issuer.list(at: database.place).map(\.id) == [minted.id])
    #expect(try #require(try await run.issuer.renew(minted.id, at: database.place)) > Self.now())
    #expect(try await run.issuer.revoke(minted.id, at: database.place) == .done)
    await run.backend.signOut()
    #expect(run.requests.count("revoke-self") == 1)

    // As the server does it.
    let body = #"{"role_id":"\#(login.role)","secret_id":"\#(login.secret)"}"#
    let token = try await database.bao.make("auth/\(login.mount)/login", body).text("auth", "client_token")
    let read = try await database.bao.request(.get, "\(database.mount)/creds/\(database.role)", token: token)
    try #require(read.status == 200)
    #expect(try database.users().count == 1)
    try await database.bao.request(.post, "auth/token/revoke-self", "{}", token: token)
    try database.waitUntilGone()
  }

  @Test("what a login with a batch token made outlives the run, and a later run revokes it")
  func batchLogin() async throws {
    let database = try await VaultDatabase()
    let login = try await database.login("batch")
    let run = try database.run(login: login)
    let minted = try await run.issuer.mint("", at: database.place)
    #expect(try #require(minted.expires) <= Self.now() + Interval(seconds: 1800))
    await run.backend.signOut()
    #expect(run.requests.count("/login") == 1 && run.requests.count("revoke-self") == 0)
    #expect(database.postgres.accepts(minted.user, password: minted.password))
    let later = try database.run(login: login)
    let renewed = try #require(try await later.issuer.renew(minted.id, at: database.place))
    #expect(renewed <= Self.now() + Interval(seconds: 1800))
    #expect(try await later.issuer.revoke(minted.id, at: database.place) == .done)
    #expect(try database.users() == [])
  }

  @Test("a token whose end is not known makes no credential")
  func unsuitedTokens() async throws {
    let database = try await VaultDatabase()
    for (kind, expected, reason): (VaultDatabase.Kind, KeyIssuerFailure.Kind, String?) in [
      (.child, .refused, VaultMessages.hasParent), (.batchChild, .refused, VaultMessages.hasParent),
      (.fewUses, .refused, VaultMessages.limitedUses), (.silent, .unauthenticated, nil),
    ] {
      let run = try database.run(token: try await database.token(kind))
      let failed = await failure { try await run.issuer.mint("", at: database.place) }
      #expect(failed?.kind == expected && (reason == nil || failed?.reason == reason), "\(kind)")
      #expect(failed?.hint != nil && run.requests.count("/creds/") == 0, "\(kind)")
    }
    #expect(try database.users() == [])
  }

  @Test(
    "a parent takes along what its children made",
    arguments: [VaultDatabase.Kind.child, .batchChild])
  func parents(kind: VaultDatabase.Kind) async throws {
    let database = try await VaultDatabase()
    let parent = try await database.token(policies: ["root"])
    let child = try await database.token(kind, by: parent)
    let read = try await database.bao.request(.get, "\(database.mount)/creds/\(database.role)", token: child)
    try #require(read.status == 200)
    #expect(try database.users().count == 1)
    try await database.bao.make("auth/token/revoke", #"{"token":"\#(parent)"}"#)
    try database.waitUntilGone()
  }

  // MARK: What the server refuses

  @Test("without a right nothing happens, and the hint names the right")
  func rights() async throws {
    let database = try await VaultDatabase()
    let maker = try database.run(token: try await database.token())
    let minted = try await maker.issuer.mint("", at: database.place)
    let run = try database.run(token: try await database.token(policies: ["default"]))
    let (place, id) = (database.place, minted.id)
    let failures = [
      (await failure { try await run.issuer.mint("", at: place) }, "creds"),
      (await failure { try await run.issuer.list(at: place) }, "sudo"),
      (await failure { try await run.issuer.revoke(id, at: place) }, "sys/leases/revoke"),
    ]
    for (failed, right) in failures {
      #expect(failed?.kind == .denied && failed?.hint?.contains(right) == true, "\(right)")
    }
    #expect(try database.users() == [minted.user])

    // A token that may not look itself up is not told from a wrong one.
    let silent = try database.run(token: try await database.token(.silent))
    #expect(await failure { try await silent.issuer.revoke(id, at: place) }?.kind == .unauthenticated)
    #expect(try database.users() == [minted.user])
    // Where only the lease cannot be looked up, the answer to the revocation counts.
    let rules = database.rules + #"path "auth/token/lookup-self" { capabilities = ["read"] }"#
    try await database.bao.make("sys/policies/acl/\(database.mount)-narrow", object: ["policy": rules])
    let token = try await database.token(.silent, policies: ["\(database.mount)-narrow"])
    #expect(try await database.run(token: token).issuer.revoke(id, at: place) == .done)
    #expect(try database.users() == [])
  }

  @Test("a wrong token is rejected before anything else")
  func wrongToken() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: "wrong")
    #expect(await failure { try await run.issuer.mint("", at: database.place) }?.kind == .unauthenticated)
    #expect(await failure { try await run.issuer.list(at: database.place) }?.kind == .unauthenticated)
    #expect(run.requests.count("/\(database.mount)/creds/\(database.role)") == 1, "only the list")
  }

  @Test("a role or a mount that does not exist is refused")
  func missing() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: try await database.token(policies: ["root"]))
    let role = await failure { try await run.issuer.mint("", at: database.place("nope")) }
    #expect(role?.kind == .refused && role?.reason.contains("no such role") == true && role?.hint != nil)
    let mount = await failure { try await run.issuer.mint("", at: database.place(database.role, mount: "nope")) }
    #expect(mount?.kind == .refused && mount?.reason.contains("no secrets engine") == true)
    #expect(try await run.issuer.list(at: database.place("nope")) == [])
  }

  @Test("a sealed server did nothing, and goes on when it is unsealed")
  func sealed() async throws {
    let database = try await VaultDatabase(try OpenBao())
    let run = try database.run(token: try await database.token())
    let minted = try await run.issuer.mint("", at: database.place)
    try await database.bao.make("sys/seal", method: .put)
    let (place, id) = (database.place, minted.id)
    for failed in [
      await failure { try await run.issuer.mint("", at: place) },
      await failure { try await run.issuer.list(at: place) },
      await failure { try await run.issuer.revoke(id, at: place) },
      await failure { try await run.issuer.renew(id, at: place) },
    ] { #expect(failed?.kind == .unreachable && failed?.hint == VaultMessages.sealedHint) }
    #expect(try database.users() == [minted.user])
    try await database.bao.make("sys/unseal", #"{"key":"\#(database.bao.unsealKey)"}"#, method: .put)
    #expect(try await run.issuer.revoke(minted.id, at: database.place) == .done)
  }

  @Test("what the database does not do is not reported as done")
  func databaseDown() async throws {
    let database = try await VaultDatabase(nil, try PostgresServer())
    let run = try database.run(token: try await database.token())
    let minted = try await run.issuer.mint("", at: database.place)
    try database.postgres.stop()
    #expect(await failure { try await run.issuer.revoke(minted.id, at: database.place) }?.kind == .refused)
    #expect(await failure { try await run.issuer.renew(minted.id, at: database.place) }?.kind == .refused)
    let sent = run.requests.count("GET \(database.bao.address)/v1/\(database.mount)/creds/")
    #expect(await failure { try await run.issuer.mint("", at: database.place) }?.kind == .unknown)
    #expect(run.requests.count("GET \(database.bao.address)/v1/\(database.mount)/creds/") == sent + 1)
    #expect(try await run.issuer.list(at: database.place).map(\.id) == [minted.id])
    try database.postgres.start()
    #expect(try await run.issuer.revoke(minted.id, at: database.place) == .done)
    #expect(try database.users() == [])
  }

  @Test("a namespace has its own roles and leases")
  func namespaces() async throws {
    let database = try await VaultDatabase()
    let team = "team-\(UUID().uuidString.prefix(8).lowercased())"
    try await database.bao.make("sys/namespaces/\(team)")
    try await database.prepare(headers: ["X-Vault-Namespace": team])
    let run = try database.run(token: "root", ["namespace": .text(team)])
    let inside = database.place(database.role, through: run.issuer.connection)
    #expect(inside.location.contains(team))
    let minted = try await run.issuer.mint("", at: inside)
    #expect(try await run.issuer.list(at: inside).map(\.id) == [minted.id])
    let outside = try database.run(token: "root")
    #expect(try await outside.issuer.list(at: database.place) == [])
    #expect(try await run.issuer.revoke(minted.id, at: inside) == .done)
    #expect(try database.users() == [])
  }

  @Test("an id or a place that is not one reaches nothing else")
  func untrusted() async throws {
    let database = try await VaultDatabase()
    let run = try database.run(token: "root")
    let minted = try await run.issuer.mint("", at: database.place)
    let other = database.place("other")
    let start = database.place.mountAndRole
    let sent = run.requests.all.count
    for id in [
      "", ".", start, "\(start)/", "\(start)/..", "\(start)/../\(database.role)/x", "\(start)/a/b", "\(start)/a\u{0}",
      "\(start)/a\nb", "/\(minted.id)", "\(database.mount)/creds/other/x", "sys/leases/x", "auth/token/create/x",
    ] {
      #expect(await failure { try await run.issuer.revoke(id, at: database.place) }?.kind == .refused, "\(id)")
      #expect(await failure { try await run.issuer.renew(id, at: database.place) }?.kind == .refused, "\(id)")
    }
    #expect(await failure { try await run.issuer.revoke(minted.id, at: other) }?.kind == .refused)
    for (role, mount) in [
      ("..", "db"), ("a/b", "db"), ("", "db"), ("a", ""), ("a", ".."), ("a", "a//b"), ("a", "/db"), ("a\u{7}", "db"),
    ] {
      let place = database.place(role, mount: mount)
      #expect(await failure { try await run.issuer.mint("", at: place) }?.kind == .refused, "\(place.location)")
      #expect(await failure { try await run.issuer.list(at: place) }?.kind == .refused, "\(place.location)")
    }
    #expect(run.requests.all.count == sent)
    // Text that is odd and allowed stays one part of the path, and one string of the body.
    for odd in ["x?list=true", "x#y", "x%2F..%2Fy", "x\"},{", "ключ", " "] {
      #expect(try await run.issuer.list(at: database.place(odd)) == [], "\(odd)")
      #expect(try await run.issuer.revoke("\(start)/\(odd)", at: database.place) == .alreadyGone, "\(odd)")
    }
    #expect(try database.users() == [minted.user])
  }
}

extension Destination {
  /// `MOUNT/creds/ROLE`.
  fileprivate var mountAndRole: String {
    let fields = VaultKeysBackend.backend.issuer?.place.values(at: location) ?? [:]
    return "\(fields["mount"] ?? "")/creds/\(fields["role"] ?? "")"
  }
}
