import Crypto

/// The name by which a key is found at its provider.
package enum KeyLabel {
  /// A label that fits. A longer one is cut and ends with a digest of the whole, so that two labels stay different.
  /// - Parameter longest: in bytes, which are never fewer than characters in any other unit.
  package static func fitting(_ label: String, longest: Int?) -> String {
    guard let longest, label.utf8.count > longest else { return label }
    let digest = SHA256.hash(data: Array(label.utf8)).prefix(12)
    let ending = "~" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    var kept = ""
    for scalar in label.unicodeScalars {
      guard kept.utf8.count + UTF8.width(scalar) + ending.utf8.count <= longest else { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept + ending
  }

  /// Whether it can be sent and found again: providers trim blanks and replace controls.
  package static func isUsable(_ label: String) -> Bool {
    let scalars = label.unicodeScalars
    guard let first = scalars.first, let last = scalars.last, first != " ", last != " " else { return false }
    return scalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }
}
