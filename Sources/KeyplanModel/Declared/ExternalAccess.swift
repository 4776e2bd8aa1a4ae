/// One thing outside the manifest's folder that planning or applying would run, contact or open, or that would affect other programs. A new
/// one is first permitted by a step of its own, so that a pull request cannot run a command or send a token by being planned.
package struct ExternalAccess: Hashable, Sendable, Codable {
  /// The kind of access.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// A program that is run, with its arguments.
    case command
    /// A program that is run after something was written to a target, with its arguments. A permission for it does not
    /// permit the same program as a source, which planning would run.
    case hook
    /// The program of an age plugin, which gets the store's keyring to encrypt it.
    case plugin
    /// A host that gets a credential.
    case host
    /// A file outside the manifest's folder.
    case path
    /// An environment variable that determines the code that programs load, run or trust, or where they send credentials.
    case variable
  }

  /// The kind of contact.
  package let kind: Kind
  /// The command with its arguments, the plugin's program, the host with its port, the absolute path, or the variable's name.
  package let text: String

  /// Any text will do.
  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// Reads `command TEXT`, `hook TEXT`, `plugin TEXT`, `host TEXT`, `path TEXT` or `variable TEXT`.
  package init?(_ description: some StringProtocol) {
    guard let space = description.firstIndex(of: " "), let kind = Kind(rawValue: String(description[..<space]))
    else { return nil }
    self.init(kind, String(description[description.index(after: space)...]))
  }
}

extension ExternalAccess: CustomStringConvertible, Comparable {
  /// The kind and the text.
  package var description: String { "\(kind.rawValue) \(text)" }

  /// By text, for stable lists.
  package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}
