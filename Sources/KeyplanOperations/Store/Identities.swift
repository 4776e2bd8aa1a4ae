package import KeyplanAge
internal import KeyplanFiles
internal import KeyplanModel
internal import KeyplanRemote
package import KeyplanReporting
internal import KeyplanSecrets

/// The age identities that open the store.
package struct Identities {
  /// In the order in which they are tried.
  package let all: [Identity]
  /// Their origin, for messages.
  package let origin: String
  /// Runs the plugins of these identities, and of the store's recipients.
  package let plugins: any PluginRunning

  /// From `--identity`, otherwise `KEYPLAN_IDENTITY` (a path or the identity itself), otherwise the user's own file. One that is sealed by a
  /// key management service is opened there; one with a passphrase asks for it.
  /// - Throws: `Failure` if the named identity is unusable, or if there is none.
  package nonisolated(nonsending) init(in world: World) async throws(Failure) {
    switch try Given(in: world) {
    case .identities(let identities): self = identities
    case .locked(let locked):
      self.init(all: try locked.open(in: world), origin: locked.origin, plugins: world.plugins)
    case .sealed(let sealed, let origin):
      self.init(
        all: try await SealedIdentities.open(sealed, origin, in: world), origin: origin, plugins: world.plugins)
    }
  }

  /// The recipients of the same identities, with the passphrase of one that has one, but without asking a key management service.
  package static func recipients(in world: World) throws(Failure) -> (all: [String], origin: String) {
    switch try Given(in: world) {
    case .identities(let identities): (try texts(of: identities.all, identities.origin), identities.origin)
    case .locked(let locked): (try texts(of: locked.open(in: world), locked.origin), locked.origin)
    case .sealed(let sealed, let origin): (sealed.map(\.recipient), origin)
    }
  }

  fileprivate init(all: [Identity], origin: String, plugins: any PluginRunning) {
    (self.all, self.origin, self.plugins) = (all, origin, plugins)
  }

  /// The recipient of the first, by which new stores and manifests name the user.
  package func first() throws(Failure) -> AgeRecipient {
    guard let first = all.first else {
      throw Failure(.storeRefused, "No identity", "\(origin) contains no identity.")
    }
    return try Self.known(first, origin)
  }

  private static func texts(of identities: [Identity], _ origin: String) throws(Failure) -> [String] {
    var texts: [String] = []
    for identity in identities { texts.append(try known(identity, origin).description) }
    return texts
  }

  private static func known(_ identity: Identity, _ origin: String) throws(Failure) -> AgeRecipient {
    guard identity.recipient.isKnown else { throw .unknownRecipient(identity, origin) }
    return identity.recipient
  }

  /// The name of the recipient to whom the first identity that has one belongs; nil if there is none.
  func name(among recipients: [Identifier<Recipient>: Recipient]) -> Identifier<Recipient>? {
    for identity in all where identity.recipient.isKnown {
      let text = identity.recipient.description
      if let name = recipients.filter({ $0.value.publicKey == text }).keys.min() { return name }
    }
    return nil
  }

  /// The plugin programs that use them. Naming one in an identity permits it.
  var programs: Set<ExternalAccess> {
    Set(
      all.flatMap { [$0.plugin, $0.recipient.plugin] }.compactMap(\.self).map { ExternalAccess(.plugin, $0.program) })
  }

  /// The file of the identity; nil if a variable contains the identity itself.
  package static func file(in world: World) -> String? {
    let named = world.settings.identity ?? world.variable("KEYPLAN_IDENTITY")
    return named.map { isIdentity($0) ? nil : world.absolute($0) } ?? path(in: world)
  }

  /// Whether this is an identity rather than a path, even with comments or leading blanks, so that no
  /// message quotes it as a missing path.
  static func isIdentity(_ text: String) -> Bool {
    if SealedIdentity.isMeant(by: text) { return true }
    let marks = ["AGE-SECRET-KEY-", "AGE-PLUGIN-", "-----BEGIN "].map { Array($0.utf8) }
    let bytes = text.utf8.map { (0x61...0x7a).contains($0) ? $0 - 0x20 : $0 }
    return bytes.indices.contains { index in marks.contains { bytes[index...].starts(with: $0) } }
  }

  /// The user's own identity file.
  package static func path(in world: World) -> String { world.configuration + "/identity.txt" }
}

/// The user's input, before a key management service is used.
private enum Given {
  case identities(Identities)
  case locked(LockedIdentities)
  case sealed([SealedIdentity], origin: String)

  init(in world: World) throws(Failure) {
    if let path = world.settings.identity {
      guard !Identities.isIdentity(path) else { throw .identityInArgument }
      self = try Self.file(world.absolute(path), shown: path, in: world)
    } else if let text = world.variable("KEYPLAN_IDENTITY") {
      self =
        Identities.isIdentity(text)
        ? try Self.parsed(Secret(Array(text.utf8)), "KEYPLAN_IDENTITY", in: world)
        : try Self.file(world.absolute(text), shown: text, in: world)
    } else {
      let path = Identities.path(in: world)
      self = try Self.file(path, shown: path, in: world)
    }
  }

  private static func file(_ path: String, shown: String, in world: World) throws(Failure) -> Given {
    var bytes: [UInt8]
    let isPublic: Bool
    do throws(FileError) {
      (bytes, isPublic) = try SafeFile.readSecret(path, limit: 1 << 20)
    } catch {
      guard error.code == .notFound else {
        guard mayHoldIdentity(path) else { throw Failure.notIdentities(in: shown) }
        throw Failure.unusableIdentity(error)
      }
      let failure = Failure.noIdentity(at: shown)
      throw world.variable("HOME") == nil && !shown.hasPrefix(world.directory)
        ? failure.adding("HOME is not set.") : failure
    }
    // Borrowed, not consumed: otherwise the consumer would wipe only a copy.
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    let start = try ByteOrderMark.length(in: bytes, shown)
    let given = try parsed(
      Secret(count: bytes.count - start) { $0.copyBytes(from: bytes[start...]) }, shown, in: world)
    switch given {
    case .sealed where isReplaceable(path, in: world): throw .sealedInWorkTree(shown)
    case .identities(let identities):
      if let plugin = identities.all.lazy.compactMap(\.plugin).first, isReplaceable(path, in: world) {
        throw .pluginInWorkTree(shown, plugin)
      }
      // A sealed or passphrase-protected identity does not open the store by itself.
      if isPublic, !world.isInContainer { world.console.warn(.publicIdentity(shown)) }
    case .sealed, .locked: break
    }
    return given
  }

  /// Whether the file, or a link with its name, is in the work tree of the working directory or of the manifest.
  private static func isReplaceable(_ path: String, in world: World) -> Bool {
    let manifest = try? Project.find(in: world)
    return [world.directory, manifest.map { Project.parent(of: $0) }].compactMap(\.self).contains { folder in
      [path, Project.parent(of: path)].contains { Project.isInWorkTree($0, of: folder) }
    }
  }

  /// False only for a file that can be read and has no line of an identity: changing its permissions would not help.
  private static func mayHoldIdentity(_ path: String) -> Bool {
    guard var bytes = try? SafeFile.read(path, limit: 1 << 20) else { return true }
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    return Age.isFile(bytes)
      || bytes.split(separator: UInt8(ascii: "\n")).contains { line in
        let content = line.drop { $0 == 0x20 || $0 == 0x09 }
        let marks = ["AGE-SECRET-KEY-", "age-secret-key-", "AGE-PLUGIN-", "-----BEGIN "]
        return marks.contains { content.starts(with: $0.utf8) }
      }
  }

  private static func parsed(
    _ text: borrowing Secret, _ origin: String, in world: World
  ) throws(Failure) -> Given {
    if let locked = LockedIdentities(text, origin) { return .locked(locked) }
    if let sealed = try SealedIdentities.lines(of: text, origin) { return .sealed(sealed, origin: origin) }
    do throws(AgeError) {
      let plugins = world.plugins
      return .identities(
        Identities(all: try Identity.parseFile(text, plugins: plugins), origin: origin, plugins: plugins))
    } catch {
      throw Failure(
        .storeRefused, "Invalid identity", "\(origin): \(error.description)",
        hint:
          "An identity is a line that begins with AGE-SECRET-KEY-, as `keyplan identity new` writes it, or with "
          + "AGE-PLUGIN-, as an age plugin writes it, or a file with an SSH key (ed25519 or RSA) without a passphrase.")
    }
  }
}

extension Identities {
  /// The existing identities; nil if the file in which `create` would make one is missing or empty.
  package nonisolated(nonsending) static func present(in world: World) async throws(Failure) -> Identities? {
    if world.variable("KEYPLAN_IDENTITY") == nil || world.settings.identity != nil {
      let path = world.settings.identity.map(world.absolute) ?? Self.path(in: world)
      if !world.fileExists(path) || isEmpty(path) { return nil }
    }
    return try await Identities(in: world)
  }

  /// Keyplan 0.1 wrote identities in place, and left an empty file if it was killed meanwhile.
  private static func isEmpty(_ path: String) -> Bool {
    (try? SafeFile.readPrivate(path, limit: 1)) == []
  }

  /// Creates an identity in the file of `--identity`, or in the user's own file.
  /// - Parameters:
  ///   - hasPassphrase: whether to ask for a passphrase and encrypt it.
  ///   - service: the service that seals it; nil for a file with the identity itself.
  package nonisolated(nonsending) static func create(
    in world: World, isPostQuantum: Bool = false, hasPassphrase: Bool = false, sealedBy service: IdentitySealing? = nil
  ) async throws(Failure) -> (path: String, recipient: AgeRecipient) {
    let path = try newPath(in: world)
    let identity = try newIdentity(isPostQuantum)
    // Before questions whose answers would be lost.
    if hasPassphrase || service != nil { try requireRoom(at: path) }
    var bytes: [UInt8]
    if let service {
      bytes = Array(
        "\(comments(on: identity, at: world.now))\(try await service.line(for: identity, in: world))\n".utf8)
    } else {
      bytes = try lines(of: identity, at: world.now)
    }
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    let locked =
      try hasPassphrase
      ? LockedIdentities.locking(Secret(count: bytes.count) { $0.copyBytes(from: bytes) }, in: world) : nil
    try write(locked ?? bytes, to: path, in: world)
    return (path, identity.recipient)
  }

  private static func comments(on identity: Identity, at now: Moment) -> String {
    "# created: \(now)\n# public key: \(identity.recipient)\n"
  }

  /// An identity as it is in a file, with comments, in the format of `age-keygen`. The caller must wipe it.
  static func lines(of identity: Identity, at now: Moment) throws(Failure) -> [UInt8] {
    let secret = try exported(identity)
    let comments = comments(on: identity, at: now)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(comments.utf8.count + secret.count + 1)
    bytes += comments.utf8
    secret.withBytes { bytes += $0 }
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  static func newIdentity(_ isPostQuantum: Bool) throws(Failure) -> Identity {
    do throws(AgeError) {
      return isPostQuantum ? try .generatePostQuantum() : .generate()
    } catch {
      throw .notCreated(error)
    }
  }

  static func exported(_ identity: Identity) throws(Failure) -> Secret {
    do throws(AgeError) {
      return try identity.exported()
    } catch {
      throw .notCreated(error)
    }
  }

  private static func newPath(in world: World) throws(Failure) -> String {
    guard let typed = world.settings.identity else { return path(in: world) }
    let path = world.absolute(typed)
    if let role = TakenFiles(in: world).role(of: path, for: .identity) {
      throw .taken(typed, role, by: "--identity", "Identity")
    }
    return path
  }

  private static func requireRoom(at path: String) throws(Failure) {
    guard !isEmpty(path) else { return }
    do throws(FileError) {
      try PrivateFile.requireAbsence(of: path)
    } catch {
      throw Failure(error, "Identity not created")
    }
  }

  /// Writes a missing or empty file, in the format of `age-keygen`.
  private static func write(_ bytes: borrowing [UInt8], to path: String, in world: World) throws(Failure) {
    do throws(FileError) {
      if path == Self.path(in: world) { try PrivateDirectory.ensure(Project.parent(of: path)) }
      if isEmpty(path) {
        try AtomicFile.replace(path, with: bytes, expecting: [])
      } else {
        try PrivateFile.create(path, bytes)
      }
    } catch {
      throw Failure(error, "Identity not created")
    }
  }
}

extension Failure {
  fileprivate static func unknownRecipient(_ identity: Identity, _ origin: String) -> Failure {
    let program = identity.plugin?.program ?? "a plugin"
    return Failure(
      .storeRefused, "Unknown recipient",
      "The identity in \(origin) is for \(program), and only that program knows its recipient.",
      hint: "Have the program list its recipient (age1…), and write it above the identity: # recipient: age1…")
  }

  fileprivate static func pluginInWorkTree(_ path: String, _ plugin: PluginName) -> Failure {
    Failure(
      .storeRefused, "Plugin identity in the work tree",
      "\(path) is in the work tree, where a pull request could replace it. It decides that \(plugin.program) is run.",
      hint: "Keep it elsewhere, or put its line into KEYPLAN_IDENTITY.")
  }

  fileprivate static func notCreated(_ error: AgeError) -> Failure {
    Failure(.failed, "Identity not created", "\(error).")
  }

  package static let identityInArgument = Failure(
    .usage, "Identity in an argument",
    "--identity takes a file name. The identity is now in the process list and in the shell's history.",
    hint: "Create a new identity, and use KEYPLAN_IDENTITY where there is no file.")

  package static func notIdentities(in path: String) -> Failure {
    Failure(
      .storeRefused, "Invalid identity",
      "\(path) contains no age identity: no line begins with AGE-SECRET-KEY-, and it is not an SSH key.",
      hint: "Name your identity file, or create one with: keyplan identity new")
  }

  package static func noIdentity(at path: String) -> Failure {
    Failure(
      .storeRefused, "No identity", "There is no identity at \(path). One is required to open the store.",
      hint:
        "Restore your identity from a copy, or name another with --identity FILE or KEYPLAN_IDENTITY. If it is lost, make one with "
        + "`keyplan identity new`, and have another recipient add its output to the manifest and apply. If no recipient is left, move "
        + "the store's file away, and restore a backup that was made for another identity "
        + "(`keyplan restore FILE --identity FILE`), or start again with `keyplan init --new-store`.")
  }
}
