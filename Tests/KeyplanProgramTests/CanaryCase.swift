import Foundation
import Testing

/// One command line in one situation, and where which secrets may be by right.
struct CanaryCase: CustomTestStringConvertible {
  let name: String
  let arguments: [String]
  var input: ProgramRun.Input = .none
  /// What the command is to end with.
  var codes: [Int32] = [0]
  /// Secrets by the place where they may be: `out`, or a path in the sandbox; `*` are all.
  var allowed: [String: Set<String>] = [:]
  /// Makes the situation.
  var prepare: @Sendable (ProgramSandbox) throws -> Void = { _ in }

  var testDescription: String { name }

  init(
    _ name: String, _ line: String, _ codes: [Int32] = [0], input: ProgramRun.Input = .none,
    allowed: [String: Set<String>] = [:], prepare: @escaping @Sendable (ProgramSandbox) throws -> Void = { _ in }
  ) {
    self.name = name
    arguments = line.split(separator: " ").map(String.init)
    self.codes = codes
    self.input = input
    self.allowed = allowed
    self.prepare = prepare
  }
}

/// The project whose secrets must not be seen, and all that can be done with it.
enum CanaryProject {
  /// Without the begin of any provider's keys, so that eight characters of it stand nowhere by chance.
  static let secrets = [
    CanarySecret("env", "Zq4vKt81xRbW0mYcJ7nHdL2p"),
    CanarySecret("dotenv", "hT6yPw03/aQ+e9 \"sXk\\u5%&z=F8r\u{e9}Gm1vUoBd"),
    CanarySecret("file", "N5jCg2Ds7VxEi4Lf\nMu9Ra0Tb6QhZy3Wk"),
    CanarySecret("json", "pO1lA8kS2jD7hF3gG6fH4dJ5sK"),
    CanarySecret("command", "w7Xe5Rc3Tv1Yb9Un8Im6Op4As2"),
    CanarySecret("given", "B3nM5qW7eR9tY1uI2oP4aS6dF8"),
    CanarySecret("newer", "uJ8mK6nH4bG2vF0cD9xS7zA5qQ"),
    CanarySecret("planted", "R4e6W8q0T1y3U5i7O9p2A4s6D8"),
    CanarySecret("other identity", "EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0"),
  ]

  static func text(_ name: String) -> String {
    secrets.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
  }

  static let manifest = """
    version: 1
    keys:
      alpha: { provider: openai, source: env://ALPHA, expires: { after: 90d } }
      beta: { provider: anthropic, source: "dotenv://sources.env#BETA" }
      gamma: { provider: generic, source: file://gamma.txt, variable: GAMMA }
      delta: { provider: generic, source: json://sources.json#/deep/delta, variable: DELTA }
      epsilon: { provider: generic, source: { command: [/bin/sh, epsilon.sh], variables: [NAMED], directory: . }, variable: EPSILON }
      given: { provider: generic, variable: GIVEN }
    active: { main: [alpha, beta] }
    targets:
      app: { type: dotenv, path: app.env, keys: { "*": active.main, DELTA: delta, EPSILON: epsilon } }
      web: { type: json, path: web.json, keys: { beta: beta, gamma: gamma, given: given } }

    """

  /// Everything is applied.
  static func applied() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    _ = try sandbox.keyplan("init")
    sandbox.variables["ALPHA"] = text("env")
    sandbox.variables["UNNAMED"] = text("planted")
    sandbox.variables["NAMED"] = "yes"
    let escaped = text("dotenv").replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    try sandbox.write("BETA=\"\(escaped)\"\n", to: "sources.env")
    try sandbox.write(text("file") + "\n", to: "gamma.txt")
    try sandbox.write("{\"deep\": {\"delta\": \"\(text("json"))\"}}\n", to: "sources.json")
    try sandbox.write("[ \"$NAMED\" ] && echo \(text("command"))\n", to: "epsilon.sh")
    try sandbox.write(manifest, to: "keyplan.yaml")
    _ = try sandbox.keyplan("keys", "set", "given", "--yes", input: .text(text("given")))
    _ = try sandbox.keyplan("apply", "--yes")
    return sandbox
  }

  /// Where secrets are by right, whatever the command.
  static let sinks: [String: Set<String>] = [
    "project/sources.env": ["dotenv"], "project/gamma.txt": ["file"], "project/sources.json": ["json", "newer"],
    "project/epsilon.sh": ["command"], "project/app.env": ["env", "json", "command", "newer", "dotenv"],
    "project/web.json": ["dotenv", "file", "given", "newer"], "home/.config/keyplan/identity.txt": ["identity"],
    "home/.config/keyplan/identity.txt.keyplan-new": ["identity"],
    "project/app.env.keyplan-new": ["env", "json", "command", "newer", "dotenv"],
    "project/web.json.keyplan-new": ["dotenv", "file", "given", "newer"],
  ]
}
