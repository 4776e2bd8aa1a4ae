import KeyplanModel
import KeyplanPlanning
import Testing

@testable import KeyplanManifest

@Suite struct TargetTests {
  private let keys = """
    version: 1
    keys:
      gpt: { provider: openai }
      gpt-2: { provider: openai }
      claude: { provider: anthropic }
      mine: { provider: generic, variable: MINE }
      bare: { provider: generic }
    active:
      mixed: [gpt, claude]
      same: [gpt, gpt-2]

    """

  @Test("each form of an entry is read, sorted by name") func forms() throws {
    let manifest = try #require(
      check(
        keys + """
          targets:
            t:
              type: dotenv
              path: ./a//.env
              takeOver: true
              keys:
                Z: active.same
                A: gpt
                "*": [active.mixed, mine]
                B: { from: active.mixed, names: { openai: B1, anthropic: B2 } }
            u: { type: json, path: ../out.json, keys: { "a b": gpt } }
          """
      ).manifest)
    let target = try #require(Identifier<Target>("t").flatMap { manifest.targets[$0] })
    let gpt = try #require(Identifier<Key>("gpt")), mine = try #require(Identifier<Key>("mine"))
    let same = try #require(Identifier<Slot>("same")), mixed = try #require(Identifier<Slot>("mixed"))
    #expect(target.destination == Destination(type: "dotenv", location: "a/.env"))
    #expect(target.takeOver)
    #expect(
      target.entries == [
        .init(.variable, from: .slot(mixed)), .init(.variable, from: .key(mine)), .init(.fixed("A"), from: .key(gpt)),
        .init(.byProvider(["openai": "B1", "anthropic": "B2"]), from: .slot(mixed)),
        .init(.fixed("Z"), from: .slot(same)),
      ])
    let other = try #require(Identifier<Target>("u").flatMap { manifest.targets[$0] })
    #expect(
      other.destination
        == Destination(type: "json", location: "../out.json", surface: ExternalAccess(.path, "../out.json")))
  }

  @Test("a command target's place is its commands, which it needs permission for; its permission is bound to its name")
  func commands() throws {
    let manifest = try #require(
      check(
        keys + """
          targets:
            t:
              type: command
              command: [./push, --to, "a, b"]
              read: [list]
              variables: [STAGE, HOME]
              keys: { A: gpt }
          """
      ).manifest)
    let target = try #require(Identifier<Target>("t").flatMap { manifest.targets[$0] })
    let place = #""./push --to \"a, b\"", list, variables "STAGE HOME""#
    let item = ExternalAccess(.command, place)
    #expect(target.destination == Destination(type: "command", location: place, surface: item))
    #expect(manifest.surface[item] == ["target t"])
    let commands = try #require(target.destination.commands)
    #expect(commands.write.arguments == ["./push", "--to", "a, b"] && commands.read?.arguments == ["list"])
    #expect(commands.read?.variables == ["STAGE", "HOME"] && commands.read?.surface == item)
    for fields in [
      "read: [a], keys: {}", "command: [a], read: [], keys: {}", "command: a, read: [b], keys: {}",
      "command: [], read: [b], keys: {}", "command: [\"\"], read: [b], keys: {}",
      "command: [a], read: [b], variables: [\"A B\"], keys: {}", "command: [a], read: [b], path: x, keys: {}",
    ] {
      let reading = reader.read(base: text(keys + "targets:\n  t: { type: command, \(fields) }\n"))
      #expect(reading.diagnostics.contains { $0.code.severity == .error }, "\(fields)")
    }
  }

  @Test("a command target without a program that reads is a place of its own, which nothing can check")
  func writeOnlyCommands() throws {
    func place(_ fields: String) throws -> Destination {
      let manifest = try #require(
        check(keys + "targets: { t: { type: command, \(fields), keys: { A: gpt } } }").manifest)
      let target = try #require(Identifier<Target>("t").flatMap { manifest.targets[$0] })
      #expect(manifest.surface[ExternalAccess(.command, target.destination.location)] == ["target t"])
      return target.destination
    }
    let blind = try place("command: [./push, a], variables: [STAGE]")
    #expect(blind.location == #""./push a", variables STAGE"# && blind.isNeverRead)
    #expect(blind.commands?.write.arguments == ["./push", "a"] && blind.commands?.write.variables == ["STAGE"])
    let both = try place("command: [./push, a], read: [variables, a]")
    #expect(both.location == #""./push a", "variables a""# && !both.isNeverRead)
    #expect(both.commands?.read?.arguments == ["variables", "a"] && both.commands?.write.variables == [])
    #expect(try place("command: [./push]").commands?.all.count == 1)
    #expect(!Destination(type: "dotenv", location: "./push").isNeverRead)
  }

  @Test("what runs after a target has the fields of a command, and a permission of its own that is bound to the target")
  func hooks() throws {
    let after = "after: { command: [./reload, \"a b\"], timeout: 5s, variables: [STAGE], directory: ., data: [x] }"
    let manifest = try #require(
      check(
        keys + """
          targets:
            t: { type: dotenv, path: a, keys: { A: gpt }, \(after) }
            u: { type: dotenv, path: b, keys: { A: gpt } }
          """
      ).manifest)
    let id = try #require(Identifier<Target>("t"))
    let item = ExternalAccess(.hook, "./reload \"a b\"")
    let hook = Reference(
      scheme: "command", arguments: ["./reload", "a b"], timeout: Interval(seconds: 5), variables: ["STAGE"],
      directory: ".", data: ["x"], isLocal: true, surface: item)
    #expect(manifest.hooks == [id: hook])
    #expect(manifest.surface == [item: ["target t", "variable STAGE", "timeout 5s", "directory .", "data x"]])
  }

  @Test(
    "a mistake in what runs after a target is reported where it is",
    arguments: [
      ("1️⃣systemctl", Fault(.wrongType)), ("1️⃣{ timeout: 5s }", Fault(.missingField)),
      ("{ command: 1️⃣[] }", Fault(.invalidValue, "empty")),
      ("{ command: 1️⃣systemctl reload app }", Fault(.wrongType, "without a shell")),
      ("{ command: [1️⃣\"\"] }", Fault(.invalidValue, "name is empty")),
      ("{ command: [a, 1️⃣[b]] }", Fault(.wrongType)), ("{ command: [a], 1️⃣shell: true }", Fault(.unknownField)),
      ("{ command: [a], timeout: 1️⃣soon }", Fault(.invalidValue)),
    ])
  func hookMistakes(after: String, fault: Fault) {
    check(keys + "targets: { t: { type: dotenv, path: a, keys: { A: gpt }, after: \(after) } }", fault)
  }

  @Test("a name in a nested file is a JSON Pointer, or one name without a slash; both spellings are one name")
  func nestedNames() throws {
    for type in ["json", "yaml", "plist"] {
      let manifest = try #require(
        check(
          keys + """
            targets:
              t: { type: \(type), path: a, keys: { /x/y~1z: gpt, /top: mine, a.b~c: bare } }
            """
        ).manifest)
      let target = try #require(Identifier<Target>("t").flatMap { manifest.targets[$0] })
      #expect(
        Set(target.entries.map(\.name)) == [.fixed("/x/y~1z"), .fixed("top"), .fixed("a.b~c")], "\(type)")
      check(
        keys + "targets: { t: { type: \(type), path: a, keys: { top: gpt, 1️⃣/top: mine } } }",
        Fault(.conflict, "also written by the entry in line"))
      check(
        keys + "targets: { t: { type: \(type), path: a, keys: { 1️⃣/a~2: mine } } }", Fault(.invalidValue, "~0"))
    }
  }

  @Test(
    "a slash inside a name is refused with the spelling that was most likely meant",
    arguments: [
      (type: "json", hint: "Write /a/b for a nested value, or /a~1b for one name with \"/\" in it."),
      (type: "yaml", hint: "Write /a/b for a nested value, or /a~1b for one name with \"/\" in it."),
      (type: "plist", hint: "Write /a/b."),
    ])
  func slashInName(type: String, hint: String) {
    let reading = reader.read(
      base: text(keys + "targets: { t: { type: \(type), path: a, keys: { a/b: gpt } } }"))
    #expect(reading.manifest == nil)
    #expect(reading.diagnostics.map(\.code) == [.invalidValue] && reading.diagnostics.first?.hint == hint)
  }

  @Test("a mode is octal digits, quoted or not, that let the owner write and not everybody")
  func modes() throws {
    for written in ["\"0640\"", "0640", "640", "0o640", "'640'"] {
      let manifest = try #require(
        check(keys + "targets: { t: { type: dotenv, path: a, mode: \(written), keys: { A: gpt } } }").manifest,
        "\(written)")
      #expect(manifest.targets.values.first?.mode == FileMode("0640"), "\(written)")
    }
    for written in ["\"4640\"", "1640", "\"0648\"", "u=rw", "64", "\"\"", "-1", "0x1a0", "640.0", "true", "null"] {
      check(
        keys + "targets: { t: { type: dotenv, path: a, mode: 1️⃣\(written), keys: { A: gpt } } }",
        Fault(.invalidValue, "three octal digits", hint: "0640"))
    }
    check(
      keys + "targets: { t: { type: dotenv, path: a, mode: 1️⃣0666, keys: { A: gpt } } }",
      Fault(.invalidValue, "every user could replace"))
    check(
      keys + "targets: { t: { type: dotenv, path: a, mode: 1️⃣0440, keys: { A: gpt } } }",
      Fault(.invalidValue, "could not read and write"))
    check(
      keys + "targets: { t: { type: dotenv, path: a, mode: 1️⃣[6, 4, 0], keys: { A: gpt } } }", Fault(.wrongType))
  }

  @Test("two keys for one name at a target are refused, whatever the slots choose") func collisions() {
    check(
      keys + """
        targets:
          t: { type: dotenv, path: a, keys: { OPENAI_API_KEY: gpt-2, "*": 1️⃣active.mixed } }
          u: { type: dotenv, path: b, keys: { "*": [active.mixed, 2️⃣gpt-2, mine] } }
          v: { type: dotenv, path: c, keys: { MINE: gpt, "*": 3️⃣mine } }
        """,
      Fault(.conflict, "\"OPENAI_API_KEY\""), Fault(.conflict, "\"OPENAI_API_KEY\""), Fault(.conflict, "\"MINE\""))
  }

  @Test("a slot of several providers never feeds one name") func providers() {
    check(
      keys + """
        targets:
          t: { type: dotenv, path: a, keys: { KEY: 1️⃣active.mixed } }
          u: { type: dotenv, path: b, keys: { 2️⃣KEY: { from: active.mixed, names: { openai: A } } } }
          v: { type: dotenv, path: c, keys: { 3️⃣KEY: { from: gpt, names: { openai: A, opnai: B } } } }
        """,
      Fault(.conflict, "anthropic, openai"), Fault(.questionable, "\"claude\""),
      Fault(.undeclaredName, hint: "\"openai\""))
  }

  @Test("a key without a variable cannot be written under it") func nameless() {
    check(
      keys + "targets: { t: { type: dotenv, path: a, keys: { \"*\": 1️⃣bare } } }",
      Fault(.missingField, "\"bare\" has no variable"))
  }

  @Test("two targets never share a file") func destinations() {
    check(
      keys + """
        targets:
          t: { type: dotenv, path: a, keys: { A: gpt } }
          u: { type: json, path: 1️⃣./x/../a, keys: { A: gpt } }
          v: { type: dotenv, path: 2️⃣., keys: { A: gpt } }
        """,
      Fault(.conflict, "\"t\""), Fault(.invalidValue, "is not the path"))
  }

  @Test("names that decide what programs load, run or trust are written only where the manifest says so") func unsafe()
  {
    check(
      """
      version: 1
      providers:
        proxied: { variable: https_proxy }
      keys:
        a: { provider: generic, variable: 1️⃣LD_PRELOAD }
        b: { provider: 2️⃣proxied }
        c: { provider: generic, variable: NODE_OPTIONS, unsafeName: true }
        d: { provider: generic, variable: GITHUB_TOKEN, 3️⃣unsafeName: true }
        e: { provider: generic, variable: GIT_TOKEN }
        f: { provider: generic, variable: PYTHON_API_KEY }
        g: { provider: generic, 4️⃣unsafeName: true }
      active:
        s: [e, f]
      targets:
        t: { type: dotenv, path: t, keys: { 5️⃣PATH: e, 6️⃣X: { from: e, names: { generic: BASH_FUNC_x } } } }
        u: { type: dotenv, path: u, keys: { PATH: e, "*": c }, unsafeName: true }
        v: { type: json, path: v, keys: { PATH: e, a-b: f } }
        w: { type: json, path: w, keys: { PATH: e }, unsafeName: true }
        x: { type: dotenv, path: x, keys: { A: e }, 7️⃣unsafeName: true }
        y: { type: dotenv, path: y, keys: { 8️⃣A.B: e, 9️⃣A-B: f } }
      """,
      Fault(.invalidValue, "LD_PRELOAD", hint: "unsafeName: true to the key"), Fault(.invalidValue, "https_proxy"),
      Fault(.questionable), Fault(.questionable), Fault(.invalidValue, "PATH", hint: "unsafeName: true to the target"),
      Fault(.invalidValue, "BASH_FUNC_x"), Fault(.questionable), Fault(.invalidValue, "digit"),
      Fault(.invalidValue, "digit"))
  }

  @Test("addresses that programs send credentials to are names only where the manifest says so, too")
  func addresses() {
    check(
      """
      version: 1
      keys:
        a: { provider: openai, variable: 1️⃣OPENAI_BASE_URL }
        b: { provider: openai, variable: DOCKER_HOST, unsafeName: true }
        c: { provider: generic, variable: DATABASE_URL }
      targets:
        t: { type: dotenv, path: t, keys: { 2️⃣AWS_ENDPOINT_URL_S3: c, GIT_TOKEN: c, FOO_HOOK: c } }
      """,
      Fault(.invalidValue, "decides where programs send credentials", hint: "unsafeName: true to the key"),
      Fault(.invalidValue, "AWS_ENDPOINT_URL_S3", hint: "unsafeName: true to the target"))
  }

  @Test("types, names and fields of targets are known ones") func shapes() {
    check(
      keys + """
        targets:
          a: { type: 1️⃣dotenf, path: a, keys: {} }
          b: { type: dotenv, path: b, keys: { 2️⃣A B: gpt, 3️⃣1A: gpt } }
          c: { type: kubernetes, name: n, namespace: s, 4️⃣path: c, keys: {} }
          d: { type: dotenv, path: d, keys: 5️⃣[gpt] }
          e: { type: dotenv, path: e, keys: { A: 6️⃣[gpt] } }
        """,
      Fault(.invalidValue, hint: "\"dotenv\""), Fault(.invalidValue, "dotenv"), Fault(.invalidValue, "dotenv"),
      Fault(.unknownField, "a kubernetes target"), Fault(.wrongType), Fault(.wrongType))
  }
}
