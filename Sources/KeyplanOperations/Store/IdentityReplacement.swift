internal import KeyplanAge
internal import KeyplanDocuments
internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// Replaces the key of a recipient in the manifest. The recipient's access does not change, and no value counts as exposed.
package struct IdentityReplacement {
  /// The manifest's files with the new key, once there is one.
  package private(set) var files: ManifestFiles
  /// The names of the recipients that get the new key: those that have the same key now.
  package let names: [String]
  private let world: World
  /// The public keys that are replaced.
  private let keys: Set<String>

  /// - Parameter name: the recipient; nil for the one whose identity is in use.
  package init(of name: String?, in world: World) throws(Failure) {
    self.world = world
    files = try ManifestFiles(in: world)
    let declared = files.ways.flatMap { [files] way in files[keyPath: way].text.recipients }
    if let name {
      keys = Set(declared.filter { $0.name == name }.map(\.key))
      guard !keys.isEmpty else { throw .notARecipient(name, among: Set(declared.map(\.name)).sorted()) }
      guard keys.count == 1 else { throw .severalKeys(name) }
    } else {
      let (own, origin) = try Identities.recipients(in: world)
      keys = Set(declared.map(\.key)).intersection(own)
      guard !keys.isEmpty else { throw .notDeclared(origin) }
      guard keys.count == 1 else { throw .severalInUse(origin) }
    }
    names = Set(declared.filter { [keys] in keys.contains($0.key) }.map(\.name)).sorted()
  }

  /// Adds the new identity to the file in use. The old one stays in it until `IdentityCleanup`, because it opens the store until the
  /// change of recipients is applied.
  package mutating func extendOwnFile(isPostQuantum: Bool) throws(Failure) -> (path: String, recipient: String) {
    guard let path = Identities.file(in: world) else { throw .identityInVariable }
    let file = try IdentityFile(path)
    let identity = try Identities.newIdentity(isPostQuantum)
    try edit("\(identity.recipient)")
    do throws(RejectedEdit) {
      try files.check(files.environments())
    } catch {
      throw error.failure
    }
    try file.append(identity, at: world.now)
    return (path, "\(identity.recipient)")
  }

  /// Creates the new identity in a file of its own.
  package mutating nonisolated(nonsending) func create(
    in path: String, isPostQuantum: Bool, hasPassphrase: Bool, sealedBy service: IdentitySealing?
  ) async throws(Failure) -> (path: String, recipient: String) {
    let isSealed = files.ways.contains { [files, names] way in
      names.contains { files[keyPath: way].text.isSealed(recipient: $0) }
    }
    guard isSealed == (service != nil) else { throw isSealed ? .sealingRequired(names) : .markRequired(names) }
    var world = world
    world.settings.identity = path
    let (made, recipient) = try await Identities.create(
      in: world, isPostQuantum: isPostQuantum, hasPassphrase: hasPassphrase, sealedBy: service)
    try edit("\(recipient)")
    return (made, "\(recipient)")
  }

  private mutating func edit(_ recipient: String) throws(Failure) {
    for way in files.ways {
      for declared in files[keyPath: way].text.recipients where keys.contains(declared.key) {
        try files.edit(way) { text throws(DocumentError) in try text.replace(declared.path, with: .scalar(recipient)) }
      }
    }
  }
}

extension YAMLText {
  /// The recipients that this file declares, each with its key in one form, and its path in the file.
  fileprivate var recipients: [(name: String, key: String, path: [String])] {
    leaves(below: ["recipients"]).compactMap { leaf in
      guard leaf.path.count == 2 || leaf.path.count == 3 && leaf.path[2] == "key" else { return nil }
      guard let recipient = try? AgeRecipient(parsing: leaf.text) else { return nil }
      return (leaf.path[1], recipient.description, leaf.path)
    }
  }

  fileprivate func isSealed(recipient name: String) -> Bool {
    leaves(below: ["recipients", name]).contains { $0.path.last == "kms" && $0.text == "true" }
  }
}

extension Failure {
  fileprivate static func notARecipient(_ name: String, among names: [String]) -> Failure {
    Failure(
      .failed, "Not a recipient", "The manifest has no recipient \"\(name)\".",
      hint: Suggestion.nearest(to: name, among: names).map { "Did you mean \($0)?" }
        ?? (names.isEmpty ? "Add recipients to the manifest first." : "It has: \(names.joined(separator: ", "))."))
  }

  fileprivate static func severalKeys(_ name: String) -> Failure {
    Failure(
      .failed, "Several keys", "\"\(name)\" has another key in another environment.",
      hint: "Name the environment: --environment NAME")
  }

  fileprivate static func notDeclared(_ origin: String) -> Failure {
    Failure(
      .failed, "Not a recipient", "The manifest does not declare the identity in \(origin) as a recipient.",
      hint: "Name the recipient whose identity is replaced: keyplan identity replace NAME --new FILE")
  }

  fileprivate static func severalInUse(_ origin: String) -> Failure {
    Failure(
      .failed, "Several identities", "\(origin) contains several identities that are recipients.",
      hint: "If one replaces the other and is applied: keyplan identity replace --finish. Otherwise name the recipient."
    )
  }

  fileprivate static let identityInVariable = Failure(
    .usage, "Separate file required", "The identity in use is in KEYPLAN_IDENTITY, not in a file.",
    hint: "Name a file for the new identity: keyplan identity replace --new FILE")

  fileprivate static func sealingRequired(_ names: [String]) -> Failure {
    Failure(
      .usage, "Key required", "The manifest marks \(names.joined(separator: " and ")) with `kms: true`.",
      hint: "Name the key that seals the new identity: --kms KEY")
  }

  fileprivate static func markRequired(_ names: [String]) -> Failure {
    Failure(
      .usage, "Not marked as sealed",
      "The manifest does not mark \(names.joined(separator: " and ")) with `kms: true`.",
      hint: "Write `{ key: …, kms: true }` in the manifest first, or leave out --kms.")
  }
}
