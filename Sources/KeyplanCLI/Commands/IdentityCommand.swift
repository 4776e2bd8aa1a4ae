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
    abstract: "Show the recipient of the current identity, create an identity, or replace one.",
    discussion: """
      An identity is an age key or an SSH key; its public recipient is listed in the manifest.

      For example:
        keyplan identity show
      """,
    subcommands: [IdentityShow.self, IdentityNew.self, IdentityReplace.self]
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

  @OptionGroup var kind: IdentityOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let (path, recipient) = try await Identities.create(
      in: world, isPostQuantum: kind.postQuantum, hasPassphrase: kind.passphrase, sealedBy: try kind.sealing())
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
    if kind.kms != nil {
      return "The sealed identity is in \(path). Keep another recipient that opens the store without the service.\n"
    }
    if kind.passphrase {
      return
        "The identity is in \(path). Once it is a recipient, it opens the store with the passphrase: neither can be recovered without a copy.\n"
    }
    return
      "The identity is in \(path). Once it is a recipient, it opens the store: keep a backup copy in a safe place.\n"
  }
}
