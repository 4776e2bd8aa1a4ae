import Foundation
import Testing

/// `keyplan helper` in the hands of programs that a stranger's repository directs.
@Suite("A credential helper")
struct HelperTests {
  private static let token = HelperProject.values["token"] ?? ""

  /// Each helper with a request that it answers.
  private static let requests: [(words: [String], input: String, variables: [String: String])] = [
    (["git", "token", "--host", "git.example.com", "get"], "protocol=https\nhost=git.example.com\n\n", [:]),
    (["docker", "token", "--host", "git.example.com", "--username", "ci", "get"], "git.example.com", [:]),
    (["aws", "--access-key-id", "aws-id", "--secret-access-key", "token"], "", [:]),
    (
      ["kubernetes", "token", "--host", "git.example.com"], "",
      [
        "KUBERNETES_EXEC_INFO":
          #"{"apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":"https://git.example.com"}}}"#
      ]
    ),
    (["headers", "token", "--host", "git.example.com"], "", [:]),
    (["keyring", "token", "--host", "git.example.com", "get", "https://git.example.com/simple/", "ada"], "", [:]),
  ]

  private func run(
    _ project: HelperProject, _ index: Int, manifest: [String]? = nil, variables: [String: String] = [:]
  ) throws -> ProgramRun.Answer {
    let (words, input, own) = Self.requests[index]
    return try project.run(
      ["keyplan", "helper"] + words + (manifest ?? ["--manifest", project.manifest]), input: input,
      variables: own.merging(variables) { $1 })
  }

  @Test("answers in a stranger's folder with its own value")
  func answers() throws {
    let project = try HelperProject()
    for index in Self.requests.indices {
      let answer = try run(project, index)
      #expect(answer.code == 0 && answer.out.contains(Self.token) && answer.err == "", "\(answer)")
    }
  }

  @Test("needs an absolute manifest on its command line, and looks for none")
  func manifest() throws {
    let project = try HelperProject()
    for index in Self.requests.indices {
      for named in [[], ["--manifest", "keyplan.yaml"], ["--manifest", "./keyplan.yaml"], ["-f", "~/keyplan.yaml"]] {
        let answer = try run(project, index, manifest: named, variables: ["KEYPLAN_MANIFEST": project.manifest])
        #expect(answer.code == 64 && !answer.out.contains("tok") && !answer.out.contains("stranger"), "\(answer)")
        #expect(answer.err.contains("--setup"), "\(answer.err)")
      }
    }
  }

  @Test("takes neither a store nor an identity from the folder")
  func relative() throws {
    let project = try HelperProject()
    let named = ["KEYPLAN_STORE": ".keyplan/default.db", "KEYPLAN_IDENTITY": "home/.config/keyplan/identity.txt"]
    for index in Self.requests.indices {
      for (variable, value) in named {
        let answer = try run(project, index, variables: [variable: value])
        #expect(answer.code == 64 && !answer.out.contains("tok_") && answer.err.contains(variable), "\(answer)")
      }
      for option in ["--store", "--identity"] {
        let answer = try run(project, index, manifest: ["--manifest", project.manifest, option, "x"])
        #expect(answer.code == 64 && answer.err.contains(option), "\(answer)")
      }
    }
  }

  @Test("is an untrusted checkout, whatever the environment says")
  func untrusted() throws {
    let project = try HelperProject("defaultEnvironment: default\n")
    try project.sandbox.write("keys: {}\n", to: "keyplan.staging.yaml")
    try #require(project.sandbox.keyplan("get", "token").out == Self.token)
    for index in Self.requests.indices {
      let refused = try run(project, index, variables: ["KEYPLAN_CHECKOUT": "trusted"])
      #expect(refused.code == 64 && refused.err.contains("defaultEnvironment"), "\(refused)")
      let chosen = try run(project, index, manifest: ["--manifest", project.manifest, "-e", "default"])
      #expect(chosen.code == 0 && chosen.out.contains(Self.token), "\(chosen)")
    }
  }

  @Test("a store that the machine does not know is refused, and nobody is asked")
  func unknown() throws {
    let project = try HelperProject()
    try FileManager.default.removeItem(atPath: project.sandbox.home + "/.local/state/keyplan/known_stores")
    for index in Self.requests.indices {
      let answer = try run(project, index)
      #expect(answer.code == 9 && !answer.out.contains(Self.token) && answer.err.contains("Unknown store"), "\(answer)")
    }
  }

  @Test("without a store says what is missing, and takes no value from its source")
  func storeless() throws {
    let project = try HelperProject()
    for name in [".keyplan", "keyplan.lock"] {
      try FileManager.default.removeItem(atPath: project.sandbox.project + "/" + name)
    }
    try FileManager.default.removeItem(atPath: project.sandbox.home + "/.local/state")
    for index in Self.requests.indices {
      for variables in [[:], ["KEYPLAN_STORE": "none"]] {
        let answer = try run(project, index, variables: variables)
        #expect(answer.code == 9 && !answer.out.contains(Self.token), "\(answer)")
        #expect(answer.err.contains("keyplan init"), "\(answer.err)")
      }
    }
  }

  @Test("a value of several lines is an error that shows none of them")
  func lines() throws {
    let project = try HelperProject()
    for index in Self.requests.indices {
      let (words, input, variables) = Self.requests[index]
      let answer = try project.run(
        ["keyplan", "helper"] + words.map { $0 == "token" ? "two-lines" : $0 } + ["--manifest", project.manifest],
        input: input, variables: variables)
      #expect(answer.code == 1 && answer.err.contains("line break"), "\(answer)")
      for text in ["line-one", "line-two", "AKIA"] { #expect(!(answer.out + answer.err).contains(text)) }
    }
  }

  @Test("a revoked key is not served")
  func revoked() throws {
    let project = try HelperProject()
    try #require(project.sandbox.keyplan("keys", "revoke", "token", "--yes", "--store-only").code == 0)
    for index in Self.requests.indices {
      let answer = try run(project, index)
      #expect(answer.code == 1 && !answer.out.contains(Self.token) && answer.err.contains("revoked"), "\(answer)")
    }
  }

  @Test("passes on the end of a key that its provider ends by itself")
  func end() throws {
    let project = try RotationProject("openai")
    func ask(_ words: String..., input: String = "") throws -> String {
      let manifest = ["--manifest", project.sandbox.project + "/keyplan.yaml"]
      let answer = try project.sandbox.start([Shell.program, "helper"] + words + manifest, input: .text(input)).wait()
      #expect(answer.code == 0, "\(answer)")
      return answer.out
    }
    let request = "protocol=https\nhost=git.example.com\n\n"
    let git = try ask("git", "chat", "--host", "git.example.com", "get", input: request)
    let end = try #require(git.firstMatch(of: #/\npassword_expiry_utc=(\d+)\n$/#).flatMap { Double($0.1) })
    #expect(end > Date().timeIntervalSince1970)
    let aws = try ask("aws", "--access-key-id", "chat", "--secret-access-key", "chat")
    let date = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: end))
    #expect(aws.contains(#""Expiration":"\#(date)""#), "\(aws)")
  }

  @Test("asks for no passphrase, although there is a terminal")
  func passphrase() throws {
    let project = try HelperProject()
    let lock = """
      import os, pty, sys
      pid, terminal = pty.fork()
      if pid == 0: os.execvp("sh", ["sh", "-c", sys.argv[1]])
      seen = b""
      while True:
          try: text = os.read(terminal, 4096)
          except OSError: break
          if not text: break
          seen += text
          if seen.endswith(b": "): os.write(terminal, b"pass\\n"); seen += b"\\n"
      sys.stdout.buffer.write(seen)
      os.waitpid(pid, 0)
      """
    let file = project.sandbox.root + "/locked.txt"
    let made = try project.run(["python3", "-c", lock, "keyplan identity new --passphrase --identity \(file)"])
    try #require(FileManager.default.fileExists(atPath: file), "\(made)")
    let request = "printf 'protocol=https\\nhost=git.example.com\\n\\n'"
    let asked = try project.run([
      "python3", "-c", lock,
      "\(request) | keyplan helper git token --host git.example.com --manifest \(project.manifest) --identity \(file) get | cat",
    ])
    #expect(asked.out.contains("Passphrase required") && !asked.out.contains("Passphrase of"), "\(asked.out)")
    let shown = try project.run([
      "python3", "-c", lock,
      "\(request) | keyplan helper git token --host git.example.com --manifest \(project.manifest) get",
    ])
    #expect(shown.out.contains("Not shown on a terminal") && !shown.out.contains(Self.token), "\(shown.out)")
  }

  @Test("git's other operations, other protocols and other hosts get nothing, and end with 0")
  func git() throws {
    let project = try HelperProject()
    let fits = "protocol=https\nhost=git.example.com\n\n"
    for (operation, input) in [
      ("store", fits + "password=x\n"), ("erase", fits), ("capability", ""),
      ("get", "protocol=http\nhost=git.example.com\n\n"),
      ("get", "protocol=https\nhost=evil.com\n\n"),
    ] {
      let answer = try project.helper("git", "token", "--host", "git.example.com", operation, input: input)
      #expect(answer.code == 0 && answer.out == "" && answer.err == "", "\(operation) \(answer)")
    }
    let encoded = try project.helper(
      "git", "token", "--host", "git.example.com", "get", input: "protocol=https\nhost=evil%0ahost=git.example.com\n\n")
    #expect(encoded.code == 1 && encoded.out == "" && !encoded.err.contains("evil"), "\(encoded)")
    let large = try project.helper(
      "git", "token", "--host", "git.example.com", "get", input: "x=" + String(repeating: "y", count: 70_000) + "\n")
    #expect(large.code == 1 && large.out == "" && large.err.contains("64 KiB"), "\(large)")
  }

  @Test("docker gets its own text for what is not found, and errors on standard output")
  func docker() throws {
    let project = try HelperProject()
    func docker(_ operation: String, _ input: String, _ key: String = "token") throws -> ProgramRun.Answer {
      try project.helper("docker", key, "--host", "git.example.com", "--username", "ci", operation, input: input)
    }
    let missing = try docker("get", "evil.com")
    #expect(missing.code == 1 && missing.out == "credentials not found in native keychain\n" && missing.err == "")
    #expect(try docker("list", "").out == #"{"git.example.com":"ci"}"#)
    let stored = try docker("store", #"{"ServerURL":"git.example.com","Username":"a","Secret":"typed-in"}"#)
    #expect(
      stored.code == 0 && stored.out == "" && stored.err.contains("Not stored") && !stored.err.contains("typed-in"))
    #expect(try docker("erase", "git.example.com").code == 0)
    let broken = try docker("get", "git.example.com", "nothing")
    #expect(broken.code == 1 && broken.out.hasPrefix("Not recorded: ") && broken.err.hasPrefix("error: "), "\(broken)")
  }

  @Test("a value typed in the place of a key's name is not repeated")
  func mistaken() throws {
    let project = try HelperProject()
    for index in Self.requests.indices {
      let (words, input, variables) = Self.requests[index]
      let answer = try project.run(
        ["keyplan", "helper"] + words.map { $0 == "token" ? "Sec/ret+Value" : $0 } + ["--manifest", project.manifest],
        input: input, variables: variables)
      #expect(answer.code == 64 && !(answer.out + answer.err).contains("Sec/ret"), "\(answer)")
    }
  }

  @Test("the setup reads no value, and what it prints has the manifest as it is quoted")
  func setup() throws {
    let project = try HelperProject()
    try FileManager.default.removeItem(atPath: project.sandbox.store)
    for index in Self.requests.indices {
      let words = Self.requests[index].words.filter { !["get", "https://git.example.com/simple/", "ada"].contains($0) }
      let folder = project.sandbox.root + "/it's $HOME"
      try project.write(
        "version: 1\nkeys: { token: { provider: generic }, aws-id: { provider: generic } }\n",
        to: folder + "/keyplan.yaml")
      let answer = try project.run(
        ["keyplan", "helper"] + words + ["--setup", "--manifest", folder + "/keyplan.yaml"])
      #expect(answer.code == 0 && answer.err == "", "\(answer)")
      let quoted = index == 3 ? folder : folder.replacingOccurrences(of: "'", with: "'\\''")
      let escaped = [0, 4].contains(index) ? quoted.replacingOccurrences(of: "\\", with: "\\\\") : quoted
      #expect(answer.out.contains(escaped + "/keyplan.yaml"), "\(answer.out)")
      #expect(answer.out.contains(project.sandbox.root + "/bin/keyplan"), "\(answer.out)")
      let missing = try project.run(
        ["keyplan", "helper"] + words + ["--setup", "--manifest", "/nowhere/keyplan.yaml"])
      #expect(missing.code == 1 && missing.out == "", "\(missing)")
    }
  }

  @Test("the wrapper of keyring takes no option from what a package index is called")
  func options() throws {
    let project = try HelperProject()
    let setup = try project.setup("keyring", "token", "--host", "git.example.com")
    let script = project.sandbox.root + "/bin/keyring"
    try project.write(try project.part(after: "file keyring", of: setup), to: script, executable: true)
    #expect(try project.run(["keyring", "get", "https://git.example.com/simple", "ada"]).out == Self.token + "\n")
    for words in [
      ["get", "--host=evil.com", "https://evil.com"], ["--host", "evil.com", "get", "https://evil.com", "ada"],
      ["get", "https://evil.com", "--allow-bare-host"], ["get", "git.example.com", "ada"],
    ] {
      let answer = try project.run(["keyring"] + words)
      #expect(answer.code == 1 && answer.out == "", "\(words): \(answer)")
    }
  }
}
