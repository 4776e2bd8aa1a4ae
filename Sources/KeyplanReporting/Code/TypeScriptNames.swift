/// A constant object and a union type for each kind. Every name is a property, which may be called like a keyword.
struct TypeScriptNames {
  func text(_ sections: [NameDeclarations.Section]) throws(NameDeclarations.Collision) -> String {
    var text = "// \(NameDeclarations.heading(.typescript))\n"
    for section in sections where !section.names.isEmpty {
      let type = section.kind.rawValue
      text += "\n/** The \(section.kind.words). */\nexport const \(type) = {\n"
      for (identifier, name, comment) in try section.identified(\.camelCase) {
        text += "  /** \(comment) */\n  \(identifier): \"\(name)\",\n"
      }
      text += "} as const;\n\nexport type \(type) = (typeof \(type))[keyof typeof \(type)];\n"
    }
    return text
  }
}
