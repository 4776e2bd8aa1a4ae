package import KeyplanAge
internal import KeyplanFiles
package import KeyplanReporting
internal import KeyplanSecrets

/// The age identities that open the store.
package struct Identities {
  /// In the order in which they are tried.
  package let all: [Identity]
  /// Where they came from, for people.
  package let origin: String

  /// `--identity` first, then `KEYPLAN_IDENTITY`, which is a path or the identity itself, then the person's own file.
  /// - Throws: `Failure` where an identity is named and cannot be used, or where there is none.
  package init(in world: World) throws(Failure) {
    if let path = world.settings.identity {
      guard !Self.isIdentity(path) else {
        throw Failure(
          .usage, "Identity in an argument",
          "--identity takes the name of a file. What was typed is now in the process list and in the shell's history.",
          hint: "Make another identity, and use KEYPLAN_IDENTITY where there is no file.")
      }
      self = try Self.file(world.absolute(path), shown: path)
    } else if let text = world.variable("KEYPLAN_IDENTITY") {
      self =
        Self.isIdentity(text)
        ? try Self.parsed(Secret(Array(text.utf8)), "KEYPLAN_IDENTITY")
        : try Self.file(world.absolute(text), shown: text)
    } else {
      let path = Self.path(in: world)
      self = try Self.file(path, shown: path)
    }
  }

  private init(all: [Identity], origin: String) {
    self.all = all
    self.origin = origin
  }

  /// The file that the identity would be read from; nil where a variable holds it.
  package static func file(in world: World) -> String? {
    let named = world.settings.identity ?? world.variable("KEYPLAN_IDENTITY")
    return named.map { isIdentity($0) ? nil : world.absolute($0) } ?? path(in: world)
  }

  /// Whether this is an identity and no path: also with the comments that its file has, or a space before it, so that no
  /// message ever says it as a path that is not there.
  private static func isIdentity(_ text: String) -> Bool {
    let mark = Array("AGE-SECRET-KEY-".utf8)
    let bytes = text.utf8.map { (0x61...0x7a).contains($0) ? $0 - 0x20 : $0 }
    return bytes.indices.contains { bytes[$0...].starts(with: mark) }
  }

  /// The person's own identity file.
  package static func path(in world: World) -> String { world.configuration + "/identity.txt" }

  private static func file(_ path: String, shown: String) throws(Failure) -> Identities {
    var bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.readPrivate(path, limit: 1 << 20)
    } catch {
      guard error.code == .notFound else {
        guard mayHoldIdentity(path) else { throw Failure.notIdentities(in: shown) }
        throw Failure(.storeRefused, "Identity cannot be used", error.description, hint: error.hint)
      }
      throw Failure.noIdentity(at: shown)
    }
    // Lent, not handed over: while it is held here, whoever takes it over would overwrite a copy.
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    return try parsed(Secret(count: bytes.count) { $0.copyBytes(from: bytes) }, shown)
  }

  /// False only for a file that can be read and has no line of an identity: changing its permissions would not help.
  private static func mayHoldIdentity(_ path: String) -> Bool {
    guard var bytes = try? SafeFile.read(path, limit: 1 << 20) else { return true }
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      let content = line.drop { $0 == 0x20 || $0 == 0x09 }
      return content.starts(with: "AGE-SECRET-KEY-1".utf8) || content.starts(with: "age-secret-key-1".utf8)
    }
  }

  private static func parsed(_ text: borrowing Secret, _ origin: String) throws(Failure) -> Identities {
    do throws(AgeError) {
      return Identities(all: try Identity.parseFile(text), origin: origin)
    } catch {
      throw Failure(
        .storeRefused, "Identity cannot be used", "\(origin): \(error.description)",
        hint: "An identity is a line that begins with AGE-SECRET-KEY-1, as `keyplan identity new` writes it.")
    }
  }
}

extension Identities {
  /// Those that are there; nil where the file in which `create` would make one does not exist, or is empty.
  package static func present(in world: World) throws(Failure) -> Identities? {
    if world.variable("KEYPLAN_IDENTITY") == nil || world.settings.identity != nil {
      let path = world.settings.identity.map(world.absolute) ?? Self.path(in: world)
      if !world.fileExists(path) || isEmpty(path) { return nil }
    }
    return try Identities(in: world)
  }

  /// Keyplan 0.1 wrote identities in place: one that was killed meanwhile left an empty file.
  private static func isEmpty(_ path: String) -> Bool {
    (try? SafeFile.readPrivate(path, limit: 1)) == []
  }

  /// Makes an identity where `--identity` says, or in the person's own file.
  package static func create(
    in world: World
  ) throws(Failure) -> (path: String, recipient: KeyplanAge.Recipient) {
    guard let typed = world.settings.identity else {
      let path = Self.path(in: world)
      return (path, try create(at: path, in: world))
    }
    let path = world.absolute(typed)
    if let role = TakenFiles(in: world).role(of: path, for: .identity) {
      throw .taken(typed, role, by: "--identity", "Identity")
    }
    return (path, try create(at: path, in: world))
  }

  /// Makes an identity in a file that did not exist or is empty, as `age-keygen` would write it.
  private static func create(at path: String, in world: World) throws(Failure) -> KeyplanAge.Recipient {
    let identity = Identity.generate()
    let secret = identity.exported()
    var bytes = Array("# created: \(world.now)\n# public key: \(identity.recipient)\n".utf8)
    bytes.reserveCapacity(bytes.count + secret.count + 1)
    secret.withBytes { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\n"))
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    do throws(FileError) {
      if path == Self.path(in: world) { try PrivateDirectory.ensure(Project.parent(of: path)) }
      if isEmpty(path) {
        try AtomicFile.replace(path, with: bytes, expecting: [])
      } else {
        try PrivateFile.create(path, bytes)
      }
    } catch {
      throw Failure(error, "Identity was not made")
    }
    return identity.recipient
  }
}

extension Failure {
  package static func notIdentities(in path: String) -> Failure {
    Failure(
      .storeRefused, "Identity cannot be used",
      "\(path) contains no age identity: no line begins with AGE-SECRET-KEY-1.",
      hint: "Name your identity file, or make one with: keyplan identity new")
  }

  package static func noIdentity(at path: String) -> Failure {
    Failure(
      .storeRefused, "No identity", "There is no identity at \(path), and the store opens to nobody else.",
      hint: "Make one with `keyplan identity new`, or name one with --identity FILE or KEYPLAN_IDENTITY.")
  }
}
