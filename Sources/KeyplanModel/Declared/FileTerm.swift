/// A term of a permission about the content of a file: `file ./vault.sh hmac:…`.
package struct FileTerm: Hashable, Sendable, CustomStringConvertible {
  /// The content, as far as it is known.
  package enum Content: Hashable, Sendable, CustomStringConvertible {
    case digest(String)
    /// The file does not exist. Creating it changes the term.
    case missing
    /// It would stay the same whatever the content becomes, so it permits nothing and equals nothing.
    case unknown(Reason)

    package init(_ text: String) {
      let reason = text.hasPrefix(Self.mark) ? Reason(rawValue: String(text.dropFirst(Self.mark.count))) : nil
      self = reason.map { .unknown($0) } ?? (text == "missing" ? .missing : .digest(text))
    }

    package var description: String {
      switch self {
      case .digest(let digest): digest
      case .missing: "missing"
      case .unknown(let reason): Self.mark + reason.rawValue
      }
    }

    /// The reason that the content is unknown; nil if it is known.
    package var reason: Reason? {
      switch self {
      case .unknown(let reason): reason
      case .digest, .missing: nil
      }
    }

    private static let mark = "unknown:"
  }

  /// The reason that the content of a file cannot be determined.
  package enum Reason: String, Sendable, CaseIterable {
    case directory, size, link, unreadable
  }

  /// The file as the manifest names it, or the variable that names it.
  package let name: String
  package let content: Content

  package init(_ name: String, _ content: Content) {
    self.name = name
    self.content = content
  }

  /// Nil for a term about something else.
  package init?(_ term: String) {
    guard term.hasPrefix("file "), let mark = term.lastIndex(of: " "),
      mark >= term.index(term.startIndex, offsetBy: "file ".count)
    else { return nil }
    self.init(
      String(term[..<mark].dropFirst("file ".count)), Content(String(term[term.index(after: mark)...])))
  }

  package var description: String { "file \(name) \(content)" }

  /// The files among terms whose content is unknown, sorted by name.
  package static func unverifiable(among terms: Set<String>) -> [(name: String, reason: Reason)] {
    var found: [(name: String, reason: Reason)] = []
    for text in terms.sorted() {
      guard let term = FileTerm(text), let reason = term.content.reason else { continue }
      found.append((term.name, reason))
    }
    return found
  }
}
