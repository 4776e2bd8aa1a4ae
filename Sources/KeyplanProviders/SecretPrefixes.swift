import CServices

/// Literal prefixes that identify a secret wherever it occurs.
///
/// Only unambiguous ones: the 32 hexadecimal digits of some providers would also match client ids, checksums and
/// container names. Sources: the vendors' documentation and the rules of scanners (gitleaks, betterleaks: MIT).
package enum SecretPrefixes {
  /// Each prefix with the minimum number of characters (letters, digits, `_`, `-`) that must follow it, so that a
  /// mention of the format in a comment (`sk-ant-…`) is not taken for a secret.
  package static let builtIn: [String: Int] = {
    var prefixes = others
    EmbeddedProviders.forEach { provider in
      let words = EmbeddedProviders.words(provider.prefixes)
      for index in stride(from: 0, to: words.count - 1, by: 2) { prefixes[words[index]] = Int(words[index + 1]) }
    }
    return prefixes
  }()

  /// The prefixes of one provider's keys, in the order of its description.
  package static func beginnings(of provider: String) -> [String] {
    var found: [String] = []
    EmbeddedProviders.forEach { row in
      guard String(cString: row.description.name) == provider else { return }
      let words = EmbeddedProviders.words(row.prefixes)
      found = stride(from: 0, to: words.count, by: 2).map { words[$0] }
    }
    return found
  }

  /// Those of no provider whose keys keyplan knows.
  private static let others = [
    "-----BEGIN PRIVATE KEY": 0,
    "-----BEGIN EC PRIVATE KEY": 0,
    "-----BEGIN ENCRYPTED PRIVATE KEY": 0,
    "-----BEGIN OPENSSH PRIVATE KEY": 0,
    "-----BEGIN RSA PRIVATE KEY": 0,
    "AGE-SECRET-KEY-1": 16,
    "AGE-SECRET-KEY-PQ-1": 16,
    "AKIA": 16,
    "glpat-": 16,
    "hvs.": 20,
    "ops_eyJ": 20,
    "xoxb-": 16,
    "xoxp-": 16,
    "GOCSPX-": 16,
  ]
}
