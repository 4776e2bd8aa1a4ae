internal import KeyplanModel
internal import KeyplanPlanning

extension StoreIssue {
  var message: Message {
    switch self {
    case .noRecipients:
      Message("Nobody could open the store any more.", hint: "Declare at least one recipient.")
    case .onlyKeyServices:
      Message(
        "Without a key management service, nobody could open the store: all recipients with full access have `kms: true`.",
        hint: "Add a recipient whose identity is kept elsewhere, for example on paper in a safe.")
    case .losesAccess(let identity):
      Message(
        "The identity in use, \(Recipient.abbreviated(identity)), would lose access to the store.",
        hint: "Keep it in `recipients`, or have another recipient who stays apply this.")
    case .closedValues(let values):
      Message(
        "A fresh root key encrypts all values anew. \(values.sentence)",
        hint: "Ask a recipient who can open all of them to apply.")
    case .notPostQuantum(let recipients):
      Message(
        "Values are encrypted to post-quantum recipients, and also to \(Self.list(recipients.map(\.name))). "
          + "A quantum computer could decrypt what is encrypted to the latter.",
        hint: "Give them post-quantum identities too: keyplan identity new --post-quantum")
    case .plannersLeave(let names):
      Message(
        "\(Self.list(names.map { "\"\($0)\"" })) could plan and read no value, so nothing becomes exposed. With a copy of the store, "
          + "short values can still be guessed by their fingerprints.",
        hint: "Replace values that can be guessed, such as PINs and short passwords.")
    case .forgetsAll(let keys):
      Message(
        "The manifest declares none of the recorded keys. All of them would be forgotten: \(Self.list(keys.map(\.name))).",
        hint: Self.allowForget)
    case .forgetsMany(let keys, let all):
      Message(
        "\(keys.count) of \(all) keys would be forgotten: \(Self.list(keys.map(\.name))).", hint: Self.allowForget)
    case .withdrawsMany(let names, let all):
      Message(
        "\(names.count) of \(all) synced names would be removed from targets: \(Self.list(names)).",
        hint: Self.allowForget)
    case .signsOutAll(let accounts):
      Message(
        "The manifest declares none of the recorded calendar accounts. Applying would sign out of all of them: \(Self.list(accounts.map(\.name))).",
        hint: Self.allowForget)
    }
  }

  private static let allowForget = "If that is intended: --allow-forget."
  private static func list(_ names: [String]) -> String { Spans.list(names, showing: 8) }
}

extension MigrationIssue {
  var message: Message {
    switch self {
    case .holdsOthers(let original, let account):
      Message(
        "\(original) would be removed, but also contains sign-ins of other accounts than \"\(account)\".",
        hint: "Set `original: keep`, and remove it yourself when nothing needs it.")
    case .stillNeeded(let original, let user):
      Message(
        "\(original) would be removed, but \(user) still needs it.",
        hint: "Set `original: keep`, or change \(user) first.")
    case .otherValue(let original, .key(let id)):
      Message(
        "\(original) has a value that \"\(id)\" never had. It is left in place.", hint: Self.removal)
    case .otherValue(let original, .account(let id)):
      Message(
        "\(original) has a token that \"\(id)\" was not signed in with. It is left in place.", hint: Self.removal)
    case .notRemoved(let original, let failure):
      Message("\(original): \(failure.reason) It is not removed.", hint: failure.advice)
    }
  }

  private static let removal = "Remove it yourself, or set `original: keep`."
}

extension AccessIssue {
  func message(_ item: ExternalAccess) -> Message {
    switch self {
    case .contentUnknown(let name, let reason):
      let what =
        switch reason {
        case .directory: "is a directory"
        case .size: "is larger than 64 MiB"
        case .link: "is a link that leads out of the work tree"
        case .unreadable: "cannot be read"
        }
      return Message(
        "\(name) \(what), so a change of its content would not be noticed. The permission for \(item) depends on that "
          + "content and cannot be given.",
        hint: item.kind == .command || item.kind == .hook
          ? "Name files of the work tree instead. If it contains nothing that is run: data: [\(QuotedWord.quoted(name))]"
          : "Use a regular file of the work tree, or one outside of it.")
    }
  }
}
