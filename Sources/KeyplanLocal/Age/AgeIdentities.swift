import KeyplanAge
import KeyplanFiles
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The age identities of this user, from the places where SOPS has them: `SOPS_AGE_KEY`, the file `SOPS_AGE_KEY_FILE`, the SSH key
/// `SOPS_AGE_SSH_PRIVATE_KEY_FILE`, and `sops/age/keys.txt` in the configuration directory. SSH keys in `~/.ssh` are used by SOPS, and here only
/// if the variable names them.
///
/// keyplan's own identity is not one of them: it opens the store, whose keyring is an age file, so that a reference to
/// a copy of the keyring would bring the store's root key to a target.
struct AgeIdentities {
  let all: [Identity]

  static let places = "SOPS_AGE_KEY, SOPS_AGE_KEY_FILE, SOPS_AGE_SSH_PRIVATE_KEY_FILE or ~/.config/sops/age/keys.txt"
  private static let limit = 1 << 20
  #if os(macOS)
  private static let configuration = "/Library/Application Support"
  #else
  private static let configuration = "/.config"
  #endif

  /// - Throws: `AccessFailure` if there is none, or one cannot be used.
  init(_ context: SourceContext) throws(AccessFailure) {
    func variable(_ name: String) -> String? { context.variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    let (home, files) = (context.home, ConfigurationFiles(context))
    for name in ["SOPS_AGE_KEY_FILE", "SOPS_AGE_SSH_PRIVATE_KEY_FILE"] {
      if let refusal = files.refusal(ofVariable: name) { throw refusal }
    }
    var all: [Identity] = []
    if let text = variable("SOPS_AGE_KEY") {
      all += try Self.identities(in: SecretBox(Array(text.utf8)), "SOPS_AGE_KEY")
    }
    if let path = variable("SOPS_AGE_KEY_FILE") {
      guard let file = try Self.read(path) else {
        throw AccessFailure(.unauthenticated, "The file that SOPS_AGE_KEY_FILE names does not exist.")
      }
      all += try Self.identities(in: file, "The file that SOPS_AGE_KEY_FILE names")
    }
    if let path = variable("SOPS_AGE_SSH_PRIVATE_KEY_FILE") {
      guard let file = try Self.read(path) else {
        throw AccessFailure(.unauthenticated, "The file that SOPS_AGE_SSH_PRIVATE_KEY_FILE names does not exist.")
      }
      do throws(AgeError) {
        all += try file.withBytes { (bytes) throws(AgeError) in try Identity.parseFile(Secret(copying: bytes)) }
      } catch {
        throw AccessFailure(.unauthenticated, "The file that SOPS_AGE_SSH_PRIVATE_KEY_FILE names: \(error).")
      }
    }
    if let configuration = variable("XDG_CONFIG_HOME") ?? home.map({ $0 + Self.configuration }) {
      let path = configuration + "/sops/age/keys.txt"
      if let refusal = files.refusal(of: path) { throw refusal }
      if let file = try Self.read(path) { all += try Self.identities(in: file, "sops/age/keys.txt") }
    }
    guard !all.isEmpty else {
      throw AccessFailure(
        .unauthenticated, "No age identity was found.", hint: "Put one into \(Self.places).")
    }
    self.all = all
  }

  /// Decrypts an age file.
  func decrypt(_ file: [UInt8]) throws(AccessFailure) -> Secret {
    do throws(AgeError) {
      return try Age.decrypt(file, with: all)
    } catch {
      throw AccessFailure(error)
    }
  }

  /// Nil if the file does not exist.
  private static func read(_ path: String) throws(AccessFailure) -> SecretBox? {
    do throws(FileError) {
      return SecretBox(try SafeFile.read(path, limit: limit))
    } catch {
      guard error.code != .notFound else { return nil }
      throw AccessFailure(.unauthenticated, error.sentence)
    }
  }

  /// The native identities, one in a line or several; keys of other kinds and comments are skipped.
  private static func identities(in text: SecretBox, _ origin: String) throws(AccessFailure) -> [Identity] {
    try text.withBytes { (bytes) throws(AccessFailure) in
      var identities: [Identity] = []
      for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
        for word in line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
          guard word.first != UInt8(ascii: "#") else { break }
          guard word.starts(with: "AGE-SECRET-KEY-".utf8) || word.starts(with: "age-secret-key-".utf8) else { continue }
          do throws(AgeError) {
            identities.append(try Identity(parsing: Secret(copying: UnsafeRawBufferPointer(rebasing: word))))
          } catch {
            throw AccessFailure(.unauthenticated, "\(origin) contains an age identity that is not valid.")
          }
        }
      }
      return identities
    }
  }
}

extension AccessFailure {
  init(_ error: AgeError) {
    switch error {
    case .noMatch:
      self.init(
        .denied, "The file is not encrypted to any age identity of this user.",
        hint: "Encrypt it to one of these too, or put the right one into \(AgeIdentities.places).")
    default: self.init(.unreadable, error.description.prefix(1).uppercased() + error.description.dropFirst() + ".")
    }
  }
}
