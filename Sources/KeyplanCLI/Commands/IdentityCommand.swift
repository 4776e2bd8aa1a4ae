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
      An identity is an age X25519 key; its public recipient is listed in the manifest.

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
    let identities = try Identities(in: world)
    guard !terminal.isJSON else {
      let recipients = identities.all.map(\.recipient.description)
      terminal.out.write(try Document.text(IdentityDocument(origin: identities.origin, recipients: recipients)))
      return ExitStatus.done.rawValue
    }
    for identity in identities.all { terminal.out.write("\(identity.recipient)\n") }
    guard !terminal.isQuiet, let first = identities.all.first else { return 0 }
    terminal.err.write(
      """
      from \(identities.origin). In the manifest:
        recipients:
          \(RecipientName.suggestion(in: world)): \(first.recipient)

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

      For example:
        keyplan identity new --identity ci.txt
      """)

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let (path, recipient) = try Identities.create(in: world)
    if terminal.isJSON {
      terminal.out.write(try Document.text(IdentityDocument(origin: path, recipients: ["\(recipient)"])))
    } else {
      terminal.out.write("\(recipient)\n")
    }
    if !terminal.isQuiet {
      terminal.err.write("The identity is in \(path). It opens the store: keep a backup copy in a safe place.\n")
    }
    return ExitStatus.done.rawValue
  }
}
