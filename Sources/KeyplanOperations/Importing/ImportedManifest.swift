/// The manifest that `init --from` writes: references to the current places of the values, and instructions for moving them from there.
package enum ImportedManifest {
  package static func text(_ imported: Import, recipient: String, name: String) -> String {
    var text = """
      \(EditorSchema.modeline)
      # The keys of this project. This file names secrets but contains none, so it belongs in git.
      version: 1

      recipients:            # who can open the store
        \(name): \(recipient)


      """
    text += declarations(imported.keys)
    if let first = imported.keys.first, !imported.keys.contains(where: { $0.slot != nil }) {
      text += "\n\(ManifestTemplate.active)\n#   main: [\(first.name)]\n"
    }
    text += "\n\(ManifestTemplate.migrations)\n"
    for key in imported.keys { text += ManifestTemplate.migration(of: key.source, to: key.name) + "\n" }
    return text
  }

  /// The part that can be invalid: it is validated before anything is made.
  package static func declarations(_ keys: [Import.Key]) -> String {
    var text = "keys:\n"
    for key in keys {
      text += "  \(key.name):\n    provider: \(key.provider)\n    source: \(quoted(key.source))\n"
      if key.slot == nil { text += "    variable: \(key.variable)\n" }
    }
    let active = keys.compactMap { key in key.slot.map { "  \($0): \(key.name)\n" } }
    if !active.isEmpty { text += "\nactive:                # one key per slot; the first usable one of a list\n" }
    return text + active.joined()
  }

  /// Plain if that is valid in YAML, otherwise in single quotes.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || "_-./#%:+@~".utf8.contains(byte)
    }
    // At the end of a line, a colon makes a text a name.
    return isPlain && !text.hasSuffix(":") ? text : "'" + text.replacing("'", with: "''") + "'"
  }
}
