import Foundation
import TestTools
import Testing

/// The services of a recipe, as fakes on this machine. The recipe names the real ones; in the copy that is run, and in what is
/// typed, they are replaced, and in what is shown they are put back.
final class RecipeServices: Sendable {
  /// Real and fake text, the longer ones first.
  let names: [(real: String, fake: String)]
  /// The variables that the recipe tells its reader to set, and files in the home directory.
  let setUp: String
  private let servers: [FixtureServer]
  private let certificates: Scratch?

  private init(
    _ names: [(real: String, fake: String)], setUp: String, servers: [FixtureServer], certificates: Scratch? = nil
  ) {
    (self.names, self.setUp, self.servers, self.certificates) = (names, setUp, servers, certificates)
  }

  /// Nil for a recipe that needs none.
  static func start(for recipe: String) throws -> RecipeServices? {
    switch recipe {
    case "ios": try ios()
    case "keyless-ci": try keyless()
    case "platforms": try platforms()
    case "provider-keys": try providerKeys()
    default: nil
    }
  }

  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "KeyplanRemoteTests/Fixtures")

  private static func server(_ arguments: String...) throws -> (server: FixtureServer, greeting: String) {
    let server = try FixtureServer([fixtures.appending(path: arguments[0]).path] + arguments.dropFirst())
    return (server, String(decoding: server.greeting, as: UTF8.self))
  }

  private static func platforms() throws -> RecipeServices {
    let certificates = try Scratch()
    try #require(try Child.run([fixtures.appending(path: "make-certificates.sh").path, certificates.path]) == 0)
    var (vercel, github) = (try server("services.py"), try server("github.py"))
    // Hosts are shown in their order, which is that of the ports here. Both are started again: one may have the lowest of all.
    for _ in 0..<50 where github.greeting > vercel.greeting {
      (vercel, github) = (try server("services.py"), try server("github.py"))
    }
    let cluster = try server("kubernetes.py", certificates.path)
    let ports = try JSONDecoder().decode([String: Int].self, from: Data(cluster.greeting.utf8))
    let kubernetes = "http://127.0.0.1:\(try #require(ports["http"]))"
    return RecipeServices(
      [
        ("https://api.vercel.com", "http://127.0.0.1:\(vercel.greeting)/i/recipe"),
        ("https://api.github.com", "http://127.0.0.1:\(github.greeting)"),
        ("api.vercel.com", "127.0.0.1:\(vercel.greeting)"), ("api.github.com", "127.0.0.1:\(github.greeting)"),
        ("kubernetes.example.com", String(kubernetes.dropFirst(7))),
      ],
      setUp: """
        export GH_TOKEN=good.recipe VERCEL_TOKEN=good
        mkdir -p ~/.kube; cat >~/.kube/config <<'END'
        contexts: [{ name: prod, context: { cluster: main, user: ada } }]
        clusters: [{ name: main, cluster: { server: "\(kubernetes)/i/recipe" } }]
        users: [{ name: ada, user: { token: good } }]
        END

        """, servers: [github.server, vercel.server, cluster.server], certificates: certificates)
  }

  private static func providerKeys() throws -> RecipeServices {
    let openai = try server("issuers.py")
    let address = String(openai.greeting.dropFirst(7))
    return RecipeServices(
      [("https://api.openai.com", "\(openai.greeting)/i/recipe"), ("api.openai.com", address)],
      setUp: "export OPENAI_ADMIN_KEY=good\n", servers: [openai.server])
  }

  private static func ios() throws -> RecipeServices {
    let cloudkit = try server("cloudkit.py")
    let address = "127.0.0.1:\(cloudkit.greeting)"
    let script = """
      import json, sys, urllib.request
      print(json.load(urllib.request.urlopen(sys.argv[1]))["pkcs8"])
      """
    let key = try Shell().run("python3 -c '\(script)' http://\(address)/_/key").out.joined(separator: "\n")
    try #require(key.hasPrefix("-----BEGIN"))
    return RecipeServices(
      [("https://api.apple-cloudkit.com", "http://\(address)"), ("api.apple-cloudkit.com", address)],
      setUp: "export CLOUDKIT_KEY='\(key)'\n", servers: [cloudkit.server])
  }

  private static func keyless() throws -> RecipeServices {
    struct Greeting: Decodable { let vault, token: String }
    let scratch = try Scratch()
    let program = try #require(OpenBaoProgram.path, "run make setup-test: OpenBao is missing")
    let server = try server("keyless.py", program, scratch.path)
    let greeting = try JSONDecoder().decode(Greeting.self, from: Data(server.greeting.utf8))
    return RecipeServices(
      [
        ("https://bao.example.com", greeting.vault), ("bao.example.com", String(greeting.vault.dropFirst(7))),
      ],
      setUp: """
        export ACTIONS_ID_TOKEN_REQUEST_URL='\(greeting.token)' ACTIONS_ID_TOKEN_REQUEST_TOKEN=job
        bao() { BAO_ADDR='\(greeting.vault)' BAO_TOKEN=root '\(program)' "$@"; }

        """, servers: [server.server], certificates: scratch)
  }

  func faked(_ text: String) -> String { names.reduce(text) { $0.replacing($1.real, with: $1.fake) } }
  func shown(_ text: String) -> String { names.reduce(text) { $0.replacing($1.fake, with: $1.real) } }
}
