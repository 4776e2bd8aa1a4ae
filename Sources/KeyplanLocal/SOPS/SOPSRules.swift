import KeyplanModel
import KeyplanPorts

/// The rule for which values of a SOPS file are encrypted; it is compared with each name on the way to a value.
struct SOPSRules: Sendable {
  private enum Rule {
    case unencryptedSuffix([UInt8]), encryptedSuffix([UInt8])
    case unencrypted(LinearPattern), encrypted(LinearPattern)
  }

  private let rule: Rule

  /// - Parameter metadata: the value of a field of the metadata.
  init(_ metadata: (String) -> [UInt8]?) throws(AccessFailure) {
    func text(_ name: String) -> [UInt8]? { metadata(name).flatMap { $0.isEmpty ? nil : $0 } }
    let names = [
      "unencrypted_suffix", "encrypted_suffix", "unencrypted_regex", "encrypted_regex", "unencrypted_comment_regex",
      "encrypted_comment_regex",
    ]
    let rules = names.compactMap { name in text(name).map { (name, $0) } }
    guard rules.count <= 1 else {
      throw AccessFailure(.unreadable, "The metadata of SOPS has more than one rule about what is encrypted.")
    }
    switch rules.first {
    case nil: rule = .unencryptedSuffix(Array("_unencrypted".utf8))
    case ("unencrypted_suffix", let suffix)?: rule = .unencryptedSuffix(suffix)
    case ("encrypted_suffix", let suffix)?: rule = .encryptedSuffix(suffix)
    case ("unencrypted_regex", let text)?: rule = .unencrypted(try Self.pattern(text))
    case ("encrypted_regex", let text)?: rule = .encrypted(try Self.pattern(text))
    case .some: throw AccessFailure(.unreadable, "SOPS files with rules about comments are not supported.")
    }
  }

  private static func pattern(_ text: [UInt8]) throws(AccessFailure) -> LinearPattern {
    guard let pattern = LinearPattern(String(decoding: text, as: UTF8.self)) else {
      throw AccessFailure(.unreadable, "The rule of the SOPS file is a regular expression that is not supported.")
    }
    return pattern
  }

  /// Nil if comparing takes more than the effort, from which it is subtracted.
  func encrypts(_ names: [String], within effort: inout Int) -> Bool? {
    func hasSuffix(_ suffix: [UInt8]) -> Bool {
      names.contains { $0.utf8.count >= suffix.count && $0.utf8.suffix(suffix.count).elementsEqual(suffix) }
    }
    func isMatched(_ pattern: LinearPattern, _ effort: inout Int) -> Bool? {
      for name in names {
        guard let isMatch = pattern.matches(Array(name.utf8), within: &effort) else { return nil }
        if isMatch { return true }
      }
      return false
    }
    return switch rule {
    case .unencryptedSuffix(let suffix): !hasSuffix(suffix)
    case .encryptedSuffix(let suffix): hasSuffix(suffix)
    case .unencrypted(let pattern): isMatched(pattern, &effort).map { !$0 }
    case .encrypted(let pattern): isMatched(pattern, &effort)
    }
  }
}
