internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Commands that other programs run to get a key.
struct HelperCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "helper",
    abstract: "Answer programs that know credential helpers: git, Docker, AWS, kubectl and others.",
    discussion: """
      A program runs its helper by itself. With --setup a helper prints what the program's configuration needs. A \
      helper answers for one host only, reads a store, and asks nothing.

      For example:
        keyplan helper git github-token --host github.com --setup
      """,
    subcommands: [
      HelperGit.self, HelperDocker.self, HelperAWS.self, HelperKubernetes.self, HelperHeaders.self, HelperKeyring.self,
    ]
  )
  .parsedAlone
}

/// Answers git.
struct HelperGit: HelperSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "git",
    abstract: "Answer git's requests for a user and a password.",
    usage: "keyplan helper git [<options>] --host <host> <key> [<operation>]",
    discussion: """
      For example:
        keyplan helper git github-token --host github.com --setup
      """)

  @Argument(help: "KEY or active.SLOT.", completion: DeclaredNames.readable)
  var key: String

  @Argument(help: "get, store or erase; git adds it. Only get has an answer.")
  var operation: String?

  @OptionGroup var place: HelperHostOptions

  @Option(help: ArgumentHelp("Answer for this repository only.", valueName: "owner/repository"))
  var path: String?

  @Option(help: ArgumentHelp("The user that belongs to the key.", valueName: "name"))
  var username = Self.usualUser

  /// GitHub accepts it with every token.
  private static let usualUser = "x-access-token"

  @Flag(help: .setup)
  var setup = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let helper = try GitHelper(host: try place.checked(key), path: path, username: username)
    guard !setup else {
      let own = [key] + place.words + (path.map { ["--path", $0] } ?? [])
      let user = username == Self.usualUser ? [] : ["--username", username]
      return try show(helper.setup(try line(own + user, on: terminal)), of: [key], on: terminal)
    }
    let world = try world(on: terminal)
    let operation = try HelperOperation.required(operation, of: "git")
    let request = try StandardInput.request(endsAtEmptyLine: true)
    guard operation == "get", try helper.accepts(request) else { return ExitStatus.done.rawValue }
    return write(helper.answer(try await HelperReading.credential(named: key, in: world)), on: terminal)
  }
}

/// Answers Docker, Podman and Skopeo.
struct HelperDocker: HelperSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "docker",
    abstract: "Answer Docker, Podman and Skopeo, which ask for a registry's user and password.",
    usage: "keyplan helper docker [<options>] --host <host> --username <name> <key>",
    discussion: """
      For example:
        keyplan helper docker registry-token --host registry.example.com \
      --username ci --setup
      """)

  @Argument(help: "KEY or active.SLOT.", completion: DeclaredNames.readable)
  var key: String

  @Argument(help: "get, list, store or erase; the program adds it. Nothing is stored or erased.")
  var operation: String?

  @OptionGroup var place: HelperHostOptions

  @Option(help: ArgumentHelp("The user that belongs to the key.", valueName: "name"))
  var username: String

  @Flag(help: .setup)
  var setup = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let helper = try DockerHelper(host: try place.checked(key), username: username)
    guard !setup else {
      let line = try line([key] + place.words + ["--username", username], on: terminal)
      return try show(helper.setup(line, name: key), of: [key], on: terminal)
    }
    do {
      return try await answer(helper, on: terminal)
    } catch let failure as Failure {
      // The protocol has errors on standard output.
      terminal.out.write("\(failure.summary): \(failure.detail)\n")
      throw failure
    }
  }

  private nonisolated(nonsending) func answer(_ helper: DockerHelper, on terminal: Terminal) async throws -> Int32 {
    let world = try world(on: terminal)
    switch try HelperOperation.required(operation, of: "docker") {
    case "get":
      guard let server = try helper.server(in: try StandardInput.request()) else {
        terminal.out.write(DockerHelper.notFound + "\n")
        return ExitStatus.failed.rawValue
      }
      let credential = try await HelperReading.credential(named: key, in: world)
      return write(helper.answer(credential, for: server), on: terminal)
    case "list": return write(helper.list, on: terminal)
    case "store":
      _ = try StandardInput.request()
      world.console.warn(
        Warning(
          "Not stored", "The registry's password stays what it is in keyplan's store.",
          hint: "To change it: keyplan keys set \(key)", isRoutine: true))
      return ExitStatus.done.rawValue
    case "erase":
      _ = try StandardInput.request()
      return ExitStatus.done.rawValue
    default: throw HelperOperation.unknown("get, list, store or erase")
    }
  }
}

/// Answers AWS's SDKs and command line.
struct HelperAWS: HelperSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "aws",
    abstract: "Answer AWS's SDKs and command line, which run a credential_process.",
    usage: "keyplan helper aws [<options>] [<key>]",
    discussion: """
      Takes a key with the parts accessKeyId and secretAccessKey, or a key for each.

      For example:
        keyplan helper aws aws-deploy --setup
      """)

  @Argument(help: "A key with parts.", completion: DeclaredNames.readable)
  var key: String?

  @Option(help: ArgumentHelp("The key with the ID.", valueName: "key"), completion: DeclaredNames.readable)
  var accessKeyId: String?

  @Option(help: ArgumentHelp("The key with the secret.", valueName: "key"), completion: DeclaredNames.readable)
  var secretAccessKey: String?

  @Option(help: ArgumentHelp("The key with the session token.", valueName: "key"), completion: DeclaredNames.readable)
  var sessionToken: String?

  @Flag(help: .setup)
  var setup = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let helper = try helper()
    guard !setup else {
      return try show(
        AWSHelper.setup(try line(words, on: terminal), name: key ?? "NAME"),
        of: [key, accessKeyId, secretAccessKey, sessionToken].compactMap(\.self), on: terminal)
    }
    let world = try world(on: terminal)
    return write(helper.answer(try await helper.credentials(in: world)), on: terminal)
  }

  private func helper() throws(Failure) -> AWSHelper {
    switch (key, accessKeyId, secretAccessKey, sessionToken) {
    case (let key?, nil, nil, nil): return try AWSHelper(key: key)
    case (nil, let id?, let secret?, let token):
      return try AWSHelper(accessKeyId: id, secretAccessKey: secret, sessionToken: token)
    default:
      throw Failure(
        .usage, "Wrong usage", "Name one key with parts, or one key for the ID and one for the secret.",
        hint: "keyplan helper aws --access-key-id KEY --secret-access-key KEY --setup")
    }
  }

  private var words: [String] {
    let options = [
      ("--access-key-id", accessKeyId), ("--secret-access-key", secretAccessKey), ("--session-token", sessionToken),
    ]
    return [key].compactMap(\.self) + options.flatMap { option, name in name.map { [option, $0] } ?? [] }
  }
}

/// Answers kubectl.
struct HelperKubernetes: HelperSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "kubernetes",
    abstract: "Answer kubectl and other clients of Kubernetes, which run an exec plugin.",
    usage: "keyplan helper kubernetes [<options>] --host <host> <key>",
    discussion: """
      For example:
        keyplan helper kubernetes cluster-token --host k8s.example.com:6443 --setup
      """)

  @Argument(help: "KEY or active.SLOT.", completion: DeclaredNames.readable)
  var key: String

  @OptionGroup var place: HelperHostOptions

  @Flag(help: .setup)
  var setup = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let helper = KubernetesHelper(host: try place.checked(key))
    guard !setup else {
      return try show(
        KubernetesHelper.setup(try line([key] + place.words, on: terminal), name: key), of: [key], on: terminal)
    }
    let world = try world(on: terminal)
    let version = try helper.version(in: world.variable("KUBERNETES_EXEC_INFO"))
    let credential = try await HelperReading.credential(named: key, in: world)
    return write(helper.answer(credential, version: version), on: terminal)
  }
}

/// Answers clients of MCP servers.
struct HelperHeaders: HelperSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "headers",
    abstract: "Print HTTP headers as JSON, for clients of MCP servers.",
    usage: "keyplan helper headers [<options>] --host <host> <key>",
    discussion: """
      If the client says which server it calls (CLAUDE_CODE_MCP_SERVER_URL), only that host gets headers.

      For example:
        keyplan helper headers mcp-token --host mcp.example.com --setup
      """)

  @Argument(help: "KEY or active.SLOT.", completion: DeclaredNames.readable)
  var key: String

  @OptionGroup var place: HelperHostOptions

  @Option(help: ArgumentHelp("The header with the value.", valueName: "name"))
  var header = "Authorization"

  @Option(
    help: ArgumentHelp(
      "What the header has before the value (default: \"Bearer \" in Authorization, else nothing).", valueName: "text"))
  var prefix: String?

  @Flag(help: .setup)
  var setup = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let helper = try HeadersHelper(host: try place.checked(key), header: header, prefix: prefix)
    guard !setup else {
      let own = [key] + place.words + (header == "Authorization" ? [] : ["--header", header])
      let line = try line(own + (prefix.map { ["--prefix", $0] } ?? []), on: terminal)
      return try show(helper.setup(line, name: key), of: [key], on: terminal)
    }
    let world = try world(on: terminal)
    guard try helper.accepts(server: world.variable("CLAUDE_CODE_MCP_SERVER_URL")) else {
      return write(HeadersHelper.nothing, on: terminal)
    }
    return write(helper.answer(try await HelperReading.credential(named: key, in: world)), on: terminal)
  }
}

/// Answers programs that run python-keyring.
struct HelperKeyring: HelperSubcommand {
  static let configuration = CommandConfiguration(
    commandName: "keyring",
    abstract: "Answer pip, uv and twine in the place of python-keyring.",
    usage: "keyplan helper keyring [<options>] --host <host> <key> [-- <words> ...]",
    discussion: """
      For example:
        keyplan helper keyring index-token --host pypi.example.com --setup
      """)

  @Argument(help: "KEY or active.SLOT.", completion: DeclaredNames.readable)
  var key: String

  @Argument(help: "get SERVICE USER; the program adds it.")
  var words: [String] = []

  @OptionGroup var place: HelperHostOptions

  @Option(help: ArgumentHelp("Answer for this user only (default: every one).", valueName: "name"))
  var username: String?

  @Flag(help: "Answer also if only a host is asked for: then the key may be sent without TLS.")
  var allowBareHost = false

  @Flag(help: .setup)
  var setup = false

  @OptionGroup var text: TextOptions

  nonisolated(nonsending) func run(on terminal: Terminal) async throws -> Int32 {
    let helper = try KeyringHelper(
      host: try place.checked(key), username: username, allowsBareHost: allowBareHost)
    guard !setup else {
      let own = [key] + place.words + (username.map { ["--username", $0] } ?? [])
      return try show(
        helper.setup(try line(own + (allowBareHost ? ["--allow-bare-host"] : []), on: terminal)), of: [key],
        on: terminal)
    }
    let world = try world(on: terminal)
    guard try helper.accepts(words) else { return ExitStatus.failed.rawValue }
    return write(helper.answer(try await HelperReading.credential(named: key, in: world)), on: terminal)
  }
}
