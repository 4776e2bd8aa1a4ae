internal import KeyplanAge
internal import KeyplanModel
internal import KeyplanRemote
internal import KeyplanReporting
internal import KeyplanSecrets

/// Identities that a key management service opens, so that a CI job with an identity of its own stores no secret.
enum SealedIdentities {
  /// The identities of a file of which each line that is neither empty nor a comment is a sealed one; nil for any other file.
  static func lines(of text: borrowing Secret, _ origin: String) throws(Failure) -> [SealedIdentity]? {
    let lines = text.withBytes { bytes in
      bytes.split(separator: UInt8(ascii: "\n")).compactMap { line -> SecretBox? in
        guard let first = line.first(where: { $0 > 0x20 }), first != UInt8(ascii: "#") else { return nil }
        return SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: line)))
      }
    }
    guard let first = lines.first, first.withBytes({ $0.first { $0 > 0x20 } == UInt8(ascii: "{") }) else { return nil }
    let sealed = lines.compactMap { SealedIdentity($0) }
    guard sealed.count == lines.count else { throw .invalidSealedIdentity(origin) }
    return sealed
  }

  /// For each recipient, the first of its lines that a service opens: several services can seal the same identity, and while one is
  /// replaced, the job has both.
  /// - Throws: the error of the first line, if none was opened.
  nonisolated(nonsending) static func open(
    _ sealed: [SealedIdentity], _ origin: String, in world: World
  ) async throws(Failure) -> [Identity] {
    let service = KeyService(try world.remoteEnvironment(world.directory))
    var failed: Failure?
    var opened: [Identity] = []
    for one in sealed where !opened.contains(where: { $0.recipient.description == one.recipient }) {
      let text: SecretBox
      do throws(AccessFailure) {
        text = try await service.open(one)
      } catch {
        failed = failed ?? Failure.notOpened(one, error)
        continue
      }
      world.console.log("identity", "opened with \(one.key)")
      opened.append(try identity(text, of: one, origin))
    }
    guard opened.isEmpty else { return opened }
    throw failed ?? .invalidSealedIdentity(origin)
  }

  private static func identity(_ text: SecretBox, of sealed: SealedIdentity, _ origin: String) throws(Failure)
    -> Identity
  {
    let identity = text.withBytes { try? Identity(parsing: Secret(copying: $0)) }
    guard let identity, identity.recipient.description == sealed.recipient else { throw .invalidSealedIdentity(origin) }
    return identity
  }
}

extension Failure {
  fileprivate static func invalidSealedIdentity(_ origin: String) -> Failure {
    Failure(
      .storeRefused, "Invalid identity",
      "\(origin) does not contain an identity as `keyplan identity new --kms` writes it.",
      hint: "Restore the line as it was, or create an identity anew.")
  }

  static func sealedInWorkTree(_ path: String) -> Failure {
    Failure(
      .storeRefused, "Sealed identity in the work tree",
      "\(path) is in the work tree, where a pull request could replace it, and with it the service to which this job's "
        + "credential is sent.",
      hint: "Keep it elsewhere, or put its line into KEYPLAN_IDENTITY.")
  }

  fileprivate static func notOpened(_ sealed: SealedIdentity, _ failure: AccessFailure) -> Failure {
    Failure(
      failure.kind == .unreachable || failure.kind == .throttled || failure.kind == .sealed
        ? .unreachable : .storeRefused,
      "Identity not opened", "\(sealed.key): \(failure.reason)", hint: failure.hint)
  }
}
