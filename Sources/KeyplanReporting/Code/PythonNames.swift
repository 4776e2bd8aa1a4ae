/// An enumeration of strings for each kind (Python 3.11). Members are in capitals, as no keyword is.
struct PythonNames {
  func text(_ sections: [NameDeclarations.Section]) throws(NameDeclarations.Collision) -> String {
    var text = "# \(NameDeclarations.heading(.python))\n\nfrom enum import StrEnum\n"
    for section in sections where !section.names.isEmpty {
      text += "\n\nclass \(section.kind.rawValue)(StrEnum):\n    \"\"\"The \(section.kind.words).\"\"\"\n\n"
      for (identifier, name, comment) in try section.identified(\.capitals) {
        text += "    #: \(comment)\n    \(identifier) = \"\(name)\"\n"
      }
    }
    return text
  }
}
