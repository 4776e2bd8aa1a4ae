internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Replaces the identity of a recipient.
struct IdentityReplace: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "replace",
    abstract: "Replace the identity of a recipient, in the manifest and in your file.",
    usage: "keyplan identity replace [<recipient>] [<options>]",
    discussion: """
      Creates an identity and replaces the recipient's key in the manifest. With the next apply the store gets a new root \
      key, and the old identity opens it no longer. The values do not count as exposed, because the recipient is the same.

      Without --new, your own identity is replaced: the new one is added to your file, and the old one stays there until \
      --finish removes it, since the store opens with it until the change is applied.

      With --new the identity is created in a file of its own, for example for a CI job. Give it to the job beside the \
      old one (KEYPLAN_IDENTITY can hold several lines), apply, then remove the old one from the job.

      For example:
        keyplan identity replace
        keyplan apply
        keyplan identity replace --finish

        keyplan identity replace ci --new ci-2027.txt
      """)

  @Argument(help: "The recipient in the manifest (default: the one of your identity).")
  var name: String?

  @Option(
    help: ArgumentHelp("Create the new identity in this file, which must not exist.", valueName: "file"),
    completion: .file())
  var new: String?

  @Flag(help: "Remove identities from your file that no store needs any more.")
  var finish = false

  @OptionGroup var kind: IdentityOptions

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard finish else { return try await replace(in: world, on: terminal) }
    guard name == nil, new == nil, kind.isDefault else {
      throw Failure(.usage, "Options exclude each other", "--finish takes no recipient, and creates no identity.")
    }
    return try cleanUp(try await IdentityCleanup(in: world), on: terminal)
  }

  private func replace(in world: World, on terminal: Terminal) async throws -> Int32 {
    guard new != nil || name == nil && kind.isOwnFile else {
      throw Failure(
        .usage, "File required",
        "Only your own unprotected identity is added to your file. Any other is created in a file of its own.",
        hint: "Name a file for the new identity: --new FILE")
    }
    var replacement = try IdentityReplacement(of: name, in: world)
    let path: String
    let recipient: String
    if let new {
      (path, recipient) = try await replacement.create(
        in: new, isPostQuantum: kind.postQuantum, hasPassphrase: kind.passphrase, sealedBy: try kind.sealing())
    } else {
      (path, recipient) = try replacement.extendOwnFile(isPostQuantum: kind.postQuantum)
    }
    let environments = replacement.files.environments()
    try replacement.files.check(environments)
    try replacement.files.write()
    guard !terminal.isJSON else {
      terminal.out.write(try Document.text(IdentityDocument(origin: path, recipients: [recipient])))
      return ExitStatus.done.rawValue
    }
    guard !terminal.isQuiet else { return ExitStatus.done.rawValue }
    terminal.out.write(replacement.files.difference(environments, style: terminal.style(for: terminal.out)))
    let names = replacement.names.joined(separator: " and ")
    terminal.out.write(
      new == nil
        ? """
        The new identity of \(names) is in \(path), beside the old one. Keep a backup copy.
        Next: keyplan plan. Once the change is applied to every store: keyplan identity replace --finish

        """
        : """
        The new identity of \(names) is in \(path). Whoever uses it needs it beside the old one until the change is applied.
        Next: keyplan plan

        """)
    return ExitStatus.done.rawValue
  }

  private func cleanUp(_ cleanup: IdentityCleanup, on terminal: Terminal) throws -> Int32 {
    func show(_ recipients: [String]) -> String {
      recipients.map { "  \(Recipient.abbreviated($0))\n" }.joined()
    }
    if !cleanup.removed.isEmpty {
      if !terminal.isJSON, !terminal.isQuiet || !confirmation.yes {
        var text = "Removed from \(cleanup.path):\n\(show(cleanup.removed))Kept:\n\(show(cleanup.kept))"
        if !cleanup.unchecked.isEmpty {
          text += "Not checked, whether these stores need a removed one:\n"
          text += cleanup.unchecked.map { "  \($0)\n" }.joined()
        }
        terminal.out.write(text)
      }
      if !confirmation.yes {
        try terminal.confirm(
          "Remove them? A store that nothing else opens is lost without them.",
          orSay: "Pass --yes to remove them.",
          declined: Failure(.interrupted, "Not removed", "The file is unchanged."))
      }
      try cleanup.carryOut()
    }
    if terminal.isJSON {
      terminal.out.write(try Document.text(IdentityDocument(origin: cleanup.path, recipients: cleanup.kept)))
    } else if cleanup.removed.isEmpty, !terminal.isQuiet {
      terminal.out.write(
        "Nothing to remove: each identity in \(cleanup.path) is a recipient of a store or in a manifest.\n")
    }
    return ExitStatus.done.rawValue
  }
}

extension IdentityOptions {
  fileprivate var isDefault: Bool { !postQuantum && isOwnFile && role == nil && audience == nil }

  /// Whether such an identity can be a line in a file with others.
  fileprivate var isOwnFile: Bool { !passphrase && kms == nil && tokenVariable == nil && mount == nil }
}
