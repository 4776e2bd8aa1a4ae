internal import ArgumentParser
internal import KeyplanAge
internal import KeyplanFiles
internal import KeyplanReporting
internal import KeyplanSecrets

/// The identity that opens the store.
struct IdentityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity",
    abstract: "Show the recipient of the identity in use, or make a new identity.",
    discussion: """
      An identity is an age X25519 key; its recipient is public and stands in the manifest.

      For example:
        keyplan identity show
      """,
    subcommands: [IdentityShow.self, IdentityNew.self]
  )
  .parsedAlone
}

/// The public half of the identity in use.
struct IdentityShow: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the public recipient of the identity in use.",
    usage: "keyplan identity show [<options>]",
    discussion: """
      For example:
        keyplan identity show >> team.txt
      """)

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let identities = try Identities(options, in: world)
    guard !options.isJSON(in: world) else {
      let recipients = identities.all.map(\.recipient.description)
      world.out.write(try Document.text(IdentityDocument(origin: identities.origin, recipients: recipients)))
      return ExitStatus.done.rawValue
    }
    for identity in identities.all { world.out.write("\(identity.recipient)\n") }
    guard !options.isQuiet(in: world), let first = identities.all.first else { return 0 }
    world.err.write(
      """
      from \(identities.origin). In the manifest:
        recipients:
          \(RecipientName.suggestion(in: world)): \(first.recipient)

      """)
    return ExitStatus.done.rawValue
  }
}

/// A new identity, in a file that did not exist.
struct IdentityNew: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Make a new identity in a file that does not exist yet.",
    usage: "keyplan identity new [<options>]",
    discussion: """
      The file has mode 0600 and is read by age too. Without --identity it is the person's own:
      ~/.config/keyplan/identity.txt.

      For example:
        keyplan identity new --identity ci.txt
      """)

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let (path, recipient) = try Identities.create(options, in: world)
    if options.isJSON(in: world) {
      world.out.write(try Document.text(IdentityDocument(origin: path, recipients: ["\(recipient)"])))
    } else {
      world.out.write("\(recipient)\n")
    }
    if !options.isQuiet(in: world) {
      world.err.write("The identity is in \(path). Keep a copy of it where it cannot be lost: it opens the store.\n")
    }
    return ExitStatus.done.rawValue
  }
}

/// What a person or machine is called in the manifest's `recipients`.
enum RecipientName {
  /// The login name, made to fit; `me` if there is none.
  static func suggestion(in world: World) -> String {
    let login = (world.variable("USER") ?? world.variable("LOGNAME") ?? "me").lowercased()
    let fitting = login.utf8.filter { byte in
      (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x5f
    }
    let name = String(decoding: fitting.drop { $0 == 0x2d || $0 == 0x5f }.prefix(63), as: UTF8.self)
    return name.isEmpty ? "me" : name
  }
}
