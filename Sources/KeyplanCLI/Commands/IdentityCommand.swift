internal import ArgumentParser
internal import KeyplanAge
internal import KeyplanFiles
internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

/// Commands for identities.
struct IdentityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity",
    abstract: "Show the recipient of the current identity, or create a new identity.",
    discussion: """
      An identity is an age key or an SSH key; its public recipient is listed in the manifest.

      For example:
        keyplan identity show
      """,
    subcommands: [IdentityShow.self, IdentityNew.self]
  )
  .parsedAlone
}

/// Shows the public recipient of the current identity.
struct IdentityShow: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the public recipient of the current identity.",
    usage: "keyplan identity show [<options>]",
    discussion: """
      For example:
        keyplan identity show >> team.txt
      """)

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let (recipients, origin) = try Identities.recipients(in: world)
    guard !terminal.isJSON else {
      terminal.out.write(try Document.text(IdentityDocument(origin: origin, recipients: recipients)))
      return ExitStatus.done.rawValue
    }
    for recipient in recipients { terminal.out.write("\(recipient)\n") }
    guard !terminal.isQuiet, let first = recipients.first else { return 0 }
    terminal.err.write(
      """
      from \(origin). In the manifest:
        recipients:
          \(RecipientName.suggestion(in: world)): \(first)

      """)
    return ExitStatus.done.rawValue
  }
}

/// Creates an identity in a new file.
struct IdentityNew: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a new identity in a file that does not exist yet.",
    usage: "keyplan identity new [<options>]",
    discussion: """
      The file has mode 0600 and can be used with age. Without --identity it is ~/.config/keyplan/identity.txt.

      With --passphrase the file is encrypted, as with age -p: keyplan asks for the passphrase at the terminal.

      With --kms a key management service seals the identity. The file is then no secret: only those who may use \
      that key can open the store with it. Its last line can be the value of KEYPLAN_IDENTITY.

      For example:
        keyplan identity new --identity ci.txt
        keyplan identity new --identity ci.txt --role ci --audience keyplan --kms \
      https://vault.example.com/v1/transit/keys/keyplan
      """)

  @Flag(help: "Create a post-quantum identity (age1pq1…). Programs that share it need age 1.3 or later.")
  var postQuantum = false

  @Flag(help: "Encrypt the identity with a passphrase, which is asked for now and each time the identity is used.")
  var passphrase = false

  @Option(
    help: ArgumentHelp(
      "The key that seals the identity: the ARN of one of AWS KMS, or the address of one of Vault's or OpenBao's transit "
        + "engine.", valueName: "key"))
  var kms: String?

  @Option(help: ArgumentHelp("The role that a CI job signs in with, to open it.", valueName: "role"))
  var role: String?

  @Option(
    help: ArgumentHelp("The audience of the token with which a job of GitHub Actions signs in.", valueName: "audience"))
  var audience: String?

  @Option(
    help: ArgumentHelp(
      "The variable that has the token with which another CI service's job signs in.", valueName: "name"))
  var tokenVariable: String?

  @Option(help: ArgumentHelp("Where Vault's JWT login is mounted (default: jwt).", valueName: "path"))
  var mount: String?

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let (path, recipient) = try await Identities.create(
      in: world, isPostQuantum: postQuantum, hasPassphrase: passphrase, sealedBy: try sealing())
    if terminal.isJSON {
      terminal.out.write(try Document.text(IdentityDocument(origin: path, recipients: ["\(recipient)"])))
    } else {
      terminal.out.write("\(recipient)\n")
    }
    if !terminal.isQuiet {
      terminal.err.write(advice(for: path))
    }
    return ExitStatus.done.rawValue
  }

  private func advice(for path: String) -> String {
    if kms != nil {
      return "The sealed identity is in \(path). Keep another recipient that opens the store without the service.\n"
    }
    if passphrase {
      return
        "The identity is in \(path). It opens the store with the passphrase: neither can be recovered without a copy.\n"
    }
    return "The identity is in \(path). It opens the store: keep a backup copy in a safe place.\n"
  }

  private func sealing() throws(Failure) -> IdentitySealing? {
    guard kms == nil || !passphrase else {
      throw Failure(.usage, "Two protections", "--passphrase and --kms cannot be used together.")
    }
    guard let kms else {
      guard role == nil, audience == nil, tokenVariable == nil, mount == nil else {
        throw Failure(.usage, "Missing key", "--role, --audience, --token-variable and --mount require --kms.")
      }
      return nil
    }
    return try IdentitySealing(key: kms, role: role, audience: audience, variable: tokenVariable, mount: mount)
  }
}
