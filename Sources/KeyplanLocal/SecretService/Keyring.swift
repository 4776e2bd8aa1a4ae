import KeyplanModel
import KeyplanSecrets

/// The items of the user's keyrings.
struct Keyring: ~Copyable {
  private let service: SecretService
  /// The number of secrets in one message.
  private static let batch = 64

  /// The attributes that identify an item.
  struct Query: Hashable {
    let service: String
    /// Nil for any.
    let username: String?

    /// The attributes in the form of `secret-tool`, Python's keyring and keyring-rs.
    var attributes: [String: String] {
      var attributes = ["service": service]
      attributes["username"] = username
      return attributes
    }
  }

  enum Answer {
    case value(SecretBox)
    case missing
    case failed(AccessFailure)
  }

  /// Connects to the program that provides the Secret Service, which the bus starts if necessary.
  init(_ variables: [String: String]) throws(AccessFailure) {
    guard SystemdLibrary.fault == nil else {
      throw AccessFailure(
        .unreachable, "libsystemd.so.0, which provides D-Bus, cannot be loaded.", hint: "Install libsystemd.")
    }
    guard let address = Self.address(variables) else { throw .noSessionBus }
    // Over tcp: secrets would cross a network, and unixexec: would run a program.
    guard address.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") }) else {
      throw AccessFailure(.unreachable, "DBUS_SESSION_BUS_ADDRESS is not the address of a unix: socket.")
    }
    guard let bus = try? SessionBus(at: address) else { throw .noSessionBus }
    do throws(SessionBus.Failure) {
      service = try SecretService(bus)
    } catch {
      throw AccessFailure(error)
    }
  }

  private static func address(_ variables: [String: String]) -> String? {
    if let address = variables["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard let folder = variables["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      folder.utf8.allSatisfy({ $0.isPlainInAddress })
    else { return nil }
    return "unix:path=\(folder)/bus"
  }

  /// Runs `body` with the keyrings, on a thread that may block.
  static func use<Result: Sendable>(
    _ variables: [String: String],
    _ body: @escaping @Sendable (borrowing Keyring) throws(AccessFailure) -> Result
  ) async throws(AccessFailure) -> Result {
    try await BlockingCalls.run { () throws(AccessFailure) in try body(try Keyring(variables)) }
  }

  /// The answer to each query.
  func answers(to queries: Set<Query>) throws(AccessFailure) -> [Query: Answer] {
    do throws(SessionBus.Failure) {
      var answers: [Query: Answer] = [:]
      var items: [Query: String] = [:]
      for query in queries {
        let found = try service.search(query.attributes)
        answers[query] = Self.fault(found).map(Answer.failed) ?? .missing
        items[query] = answers[query]?.isMissing == true ? found.unlocked.first : nil
      }
      let paths = Array(Set(items.values))
      for start in stride(from: 0, to: paths.count, by: Self.batch) {
        let secrets = try service.secrets(of: Array(paths[start..<min(start + Self.batch, paths.count)]))
        for (query, path) in items {
          if let secret = secrets[path] { answers[query] = .value(secret) }
        }
      }
      // Locked or deleted in the meantime.
      for query in items.keys where answers[query]?.isMissing == true { answers[query] = .failed(.lockedItem) }
      guard answers.values.contains(where: \.isMissing), let doubt = try doubt() else { return answers }
      return answers.mapValues { $0.isMissing ? .failed(doubt) : $0 }
    } catch {
      throw AccessFailure(error)
    }
  }

  /// Sets the secret of the item with these attributes, or creates it.
  func set(_ secret: SecretBox, of query: Query) throws(SessionBus.Failure) -> AccessFailure? {
    let found = try service.search(query.attributes)
    if let fault = Self.fault(found) { return fault }
    if let item = found.unlocked.first {
      try service.set(secret, of: item)
      return nil
    }
    if let doubt = try doubt() { return doubt }
    guard let collection = try service.defaultCollection() else { return .noKeyring }
    var attributes = query.attributes
    // With the schema of secret-tool, so that its `store` replaces the item.
    attributes["xdg:schema"] = "org.freedesktop.Secret.Generic"
    let label = query.username.map { "\(query.service): \($0)" } ?? query.service
    return try service.create(secret, label: label, attributes: attributes, in: collection) ? nil : .prompt
  }

  /// Removes the item with these attributes.
  /// - Parameter value: the value that it must have; nil for any.
  func remove(_ query: Query, holding value: SecretBox? = nil) throws(SessionBus.Failure) -> AccessFailure? {
    let found = try service.search(query.attributes)
    if let fault = Self.fault(found) { return fault }
    guard let item = found.unlocked.first else { return try doubt() }
    if let value {
      guard let held = try service.secrets(of: [item])[item] else { return .lockedItem }
      guard held.equals(value) else { return AccessFailure(.unreadable, "The item has another value now.") }
    }
    return try service.delete(item) ? nil : .prompt
  }

  /// The reason that an item may exist although it was not found; nil if it is missing.
  private func doubt() throws(SessionBus.Failure) -> AccessFailure? {
    // The bus starts a keyring program where none runs; without a keyring it finds nothing.
    if try service.defaultCollection() == nil { return .noKeyring }
    return try service.hasLockedCollection() ? .lockedKeyring : nil
  }

  private static func fault(_ found: SecretService.Found) -> AccessFailure? {
    let count = found.unlocked.count + found.locked.count
    if count > 1 { return .duplicates(count) }
    return found.locked.isEmpty ? nil : .lockedItem
  }
}

extension Keyring.Answer {
  fileprivate var isMissing: Bool { if case .missing = self { true } else { false } }
}

extension UInt8 {
  /// Whether a D-Bus address contains it unescaped (D-Bus specification, "Server Addresses").
  fileprivate var isPlainInAddress: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"),
      UInt8(ascii: "."), UInt8(ascii: "*"):
      true
    default: false
    }
  }
}
