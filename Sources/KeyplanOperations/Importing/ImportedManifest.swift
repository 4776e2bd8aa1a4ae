/// The manifest that `init --from` writes: references to where the values are now, and how to move them from there.
package enum ImportedManifest {
  package static func text(_ imported: Import, recipient: String, name: String) -> String {
    var text = """
      \(EditorSchema.modeline)
      # The keys of this project. This file names secrets but contains none, so it belongs in git.
      version: 1

      recipients:            # who can open the store
        \(name): \(recipient)


      """
    text += keys(imported.keys)
    let candidates = imported.keys.filter { $0.provider != "generic" }.prefix(3).map(\.name)
    text += """

      # active:              # one key per slot; the first usable one of a list
      #   main: [\((candidates.isEmpty ? imported.keys.prefix(1).map(\.name) : Array(candidates)).joined(separator: ", "))]

      # migrations:          # each runs once. The value comes into the store and leaves the file; its key then has no `source`

      """
    for key in imported.keys {
      text += "#   - { adopt: \(quoted(key.source, always: true)), to: \(key.name), original: remove }\n"
    }
    return text
  }

  /// The part that can be wrong: what is tried before anything is made.
  package static func keys(_ keys: [Import.Key]) -> String {
    var text = "keys:\n"
    for key in keys {
      text += """
          \(key.name):
            provider: \(key.provider)
            source: \(quoted(key.source, always: false))
            variable: \(key.variable)

        """
    }
    return text
  }

  /// Plain where YAML takes it so, otherwise in single quotes.
  private static func quoted(_ text: String, always: Bool) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || "_-./#%:+@~".utf8.contains(byte)
    }
    return isPlain && !always ? text : "'" + text.replacing("'", with: "''") + "'"
  }
}
