import Foundation
import Testing

/// A small project with every kind of step: what is applied first, and what is changed then.
enum FaultProject {
  /// Everything applied, nothing left to do.
  static func applied(in sandbox: ProgramSandbox? = nil) throws -> ProgramSandbox {
    let sandbox = try sandbox ?? ProgramSandbox()
    try #require(sandbox.keyplan("init").code == 0)
    try setSources(of: sandbox, round: 1)
    try sandbox.write(first(for: recipient(of: sandbox)), to: "keyplan.yaml")
    try #require(sandbox.keyplan("keys", "set", "given", "--yes", input: .text("given-1\n")).code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
    return sandbox
  }

  /// The same with work for the next apply: adopt, remove, store, replace, activate, update, forget, sync, move, withdraw,
  /// and with `rekeys` a recipient less, which means a fresh root key.
  static func changed(_ applied: ProgramSandbox, rekeys: Bool = false) throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox(copying: applied)
    try setSources(of: sandbox, round: 2)
    try sandbox.write(second(for: recipient(of: sandbox), rekeys: rekeys, round: 2), to: "keyplan.yaml")
    return sandbox
  }

  static func recipient(of sandbox: ProgramSandbox) throws -> String {
    try #require(sandbox.keyplan("identity", "show").out.firstMatch(of: /age1[0-9a-z]+/).map { String($0.0) })
  }

  /// Values that differ from round to round, in each of the local sources.
  static func setSources(of sandbox: ProgramSandbox, round: Int) throws {
    sandbox.variables["ALPHA"] = "alpha-\(round)"
    sandbox.variables["OLD"] = "old"
    try sandbox.write("BETA='beta \(round)'\n", to: "sources.env")
    try sandbox.write("gamma-\(round)\n", to: "gamma.txt")
    try sandbox.write("{\"deep\": {\"delta\": \"delta-\(round)\"}}\n", to: "sources.json")
    try sandbox.write("epsilon-\(round)\n", to: "epsilon.txt")
    let adopted = round.isMultiple(of: 2) ? "ADOPTED_\(round)=adopted-\(round)\n" : ""
    try sandbox.write("# of the old program\n\(adopted)", to: "legacy.env")
  }

  private static let another = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"

  /// Steps of every kind from one round to the next, there and back again.
  static func setRound(_ round: Int, of sandbox: ProgramSandbox) throws {
    try setSources(of: sandbox, round: round)
    let recipient = try recipient(of: sandbox)
    try sandbox.write(
      round.isMultiple(of: 2) ? second(for: recipient, rekeys: false, round: round) : first(for: recipient),
      to: "keyplan.yaml")
  }

  /// Where a value is that each even round adopts under a name of its own: in its file, in the store, never nowhere.
  static func adopted(_ round: Int, in sandbox: ProgramSandbox) throws -> (isLeft: Bool, isKept: Bool) {
    let left = String(decoding: sandbox.content(of: "legacy.env") ?? [], as: UTF8.self)
    let kept = try sandbox.keyplan("get", "adopted-\(round)")
    return (left.contains("ADOPTED_\(round)=adopted-\(round)\n"), kept.code == 0 && kept.out == "adopted-\(round)")
  }

  private static func first(for recipient: String) -> String {
    """
    version: 1
    recipients: { me: \(recipient), other: \(another) }
    keys:
      alpha: { provider: openai, source: env://ALPHA }
      beta: { provider: anthropic, source: "dotenv://sources.env#BETA" }
      gamma: { provider: generic, source: file://gamma.txt, variable: GAMMA }
      delta: { provider: generic, source: json://sources.json#/deep/delta, variable: DELTA }
      epsilon: { provider: generic, source: { command: [/bin/cat, epsilon.txt], directory: . }, variable: EPSILON }
      old: { provider: generic, source: env://OLD, variable: OLD }
      given: { provider: generic, variable: GIVEN }
    active: { main: alpha, side: gamma }
    targets:
      app: { type: dotenv, path: app.env, keys: { "*": active.main, OLD_KEY: old, DELTA: delta } }
      web: { type: json, path: web.json, keys: { epsilon: epsilon, gamma: gamma, given: given } }
      gone: { type: dotenv, path: gone.env, keys: { DELTA: delta } }

    """
  }

  private static func second(for recipient: String, rekeys: Bool, round: Int) -> String {
    """
    version: 1
    recipients: { me: \(recipient)\(rekeys ? "" : ", other: \(another)") }
    keys:
      alpha: { provider: openai, source: env://ALPHA, model: gpt }
      beta: { provider: anthropic, source: "dotenv://sources.env#BETA" }
      gamma: { provider: generic, source: file://gamma.txt, variable: GAMMA }
      delta: { provider: generic, source: json://sources.json#/deep/delta, variable: DELTA }
      epsilon: { provider: generic, source: { command: [/bin/cat, epsilon.txt], directory: . }, variable: EPSILON }
      fresh: { provider: generic, source: env://ALPHA, variable: FRESH }
      given: { provider: generic, variable: GIVEN, labels: { team: weather } }
      adopted-\(round): { provider: generic, variable: ADOPTED }
    active: { main: beta, third: fresh }
    targets:
      app: { type: dotenv, path: app.env, keys: { "*": active.main, DELTA: delta, FRESH: fresh } }
      web: { type: json, path: moved.json, keys: { epsilon: epsilon, gamma: gamma, given: given } }
    migrations:
      - { adopt: "dotenv://legacy.env#ADOPTED_\(round)", to: adopted-\(round), original: remove }

    """
  }
}
