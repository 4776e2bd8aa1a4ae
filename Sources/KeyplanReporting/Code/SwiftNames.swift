/// Static members of the types of `KeyplanReader`.
struct SwiftNames {
  let access: NameDeclarations.AccessLevel

  func text(_ sections: [NameDeclarations.Section]) throws(NameDeclarations.Collision) -> String {
    var text = """
      // \(NameDeclarations.heading(.swift))

      \(importing)

      """
    for section in sections where !section.names.isEmpty {
      text += "\nextension \(section.kind.rawValue) {\n"
      for (identifier, name, comment) in try section.identified(\.camelCase) {
        text += "  /// \(comment)\n"
        text += "  \(modifier)static let \(Self.escaped(identifier)) = \(section.kind.rawValue)(\"\(name)\")\n"
      }
      text += "}\n"
    }
    return text
  }

  /// A level that is written in one file is an error for files of the same module that write none, unless it is `public`.
  private var importing: String {
    switch access {
    case .public: "public import KeyplanReader"
    case .package:
      "#if hasFeature(InternalImportsByDefault)\npackage import KeyplanReader\n#else\nimport KeyplanReader\n#endif"
    case .internal: "import KeyplanReader"
    }
  }

  private var modifier: String { access == .internal ? "" : "\(access.rawValue) " }

  private static func escaped(_ identifier: String) -> String {
    keywords.contains(identifier) ? "`\(identifier)`" : identifier
  }

  /// Keywords that begin with a small letter (The Swift Programming Language, Lexical Structure), those of some places included:
  /// a keyword in backticks is an identifier everywhere.
  private static let keywords: Set = [
    "actor", "any", "as", "associatedtype", "associativity", "async", "await", "borrowing", "break", "case", "catch",
    "class", "consuming", "continue", "convenience", "default", "defer", "deinit", "didSet", "distributed", "do",
    "dynamic",
    "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "final", "for", "func", "get", "guard",
    "if", "import", "in", "indirect", "infix", "init", "inout", "internal", "is", "isolated", "lazy", "left", "let",
    "macro", "mutating", "nil", "none", "nonisolated", "nonmutating", "open", "operator", "optional", "override",
    "package", "postfix", "precedence", "precedencegroup", "prefix", "private", "protocol", "public", "repeat",
    "required", "rethrows", "return", "right", "self", "sending", "set", "some", "static", "struct", "subscript",
    "super",
    "switch", "throw", "throws", "true", "try", "typealias", "unowned", "var", "weak", "where", "while", "willSet",
    "yield",
  ]
}
