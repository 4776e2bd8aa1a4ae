import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  /// `{ compose: "postgres://app:{db-password:url}@db/app" }`. Nil for any other source.
  mutating func composed(_ tree: LayeredNode) -> Located<Composition?>? {
    switch soleSource("compose", in: tree, example: "{ compose: \"…{NAME}…\" }") {
    case nil: return nil
    case .listed(let place): return Located(value: nil, place: place)
    case .alone:
      guard let written = fields(tree, .composed)?["compose"] else { return nil }
      return Located(value: template(written), place: written.place)
    }
  }

  /// A template may contain a password by mistake: with an error it is not quoted.
  private mutating func template(_ tree: LayeredNode) -> Composition? {
    guard let text = text(tree, "compose") else {
      notes.conceal(tree.place)
      return nil
    }
    do throws(Composition.Fault) {
      let composition = try Composition(text.value)
      checkAddress(composition, at: text.place)
      return composition
    } catch {
      notes.conceal(text.place)
      let (detail, hint) = Self.words(error)
      notes.report(.invalidValue, detail, hint: hint, at: text.place)
      return nil
    }
  }

  private static func words(_ fault: Composition.Fault) -> (detail: String, hint: String?) {
    switch fault {
    case .unclosed: ("A { in the template is not closed.", "Write {NAME} for a value, and {{ for a brace.")
    case .unopened: ("A } in the template closes nothing.", "Write }} for a brace.")
    case .notAName(let name):
      (
        "\(ManifestMessages.quoted(name, or: "The text in braces")) in the template is not the name of a key.",
        "Write {NAME}, {NAME:url}, {NAME:json} or {NAME:base64}, and {{ for a brace."
      )
    case .notAForm(let form):
      (
        "\(ManifestMessages.quoted(form, or: "The word after the colon")) in the template is not a form.",
        "The forms are url, json and base64: {NAME:url}."
      )
    case .noPart:
      (
        "The template has no place for the value of a key.",
        "Write {NAME} for it. A text without a secret needs no key."
      )
    case .tooLong: ("The template is longer than 64 KiB.", nil)
    case .tooManyParts: ("The template names more than \(Composition.partLimit) keys.", "Compose some of them apart.")
    }
  }

  /// Reports a password in an address, and a value that is inserted there as it is.
  private mutating func checkAddress(_ composition: Composition, at place: FileLocation) {
    var text: [UInt8] = []
    var places: [(offset: Int, key: Identifier<Key>, form: Composition.Form)] = []
    for piece in composition.pieces {
      switch piece {
      case .text(let piece): text += piece.utf8
      case .part(let key, let form):
        places.append((text.count, key, form))
        // In no text: the manifest's reader refuses control characters.
        text.append(0)
      }
    }
    let mark = Array("://".utf8)
    var start = 0
    while let found = text[start...].indices.first(where: { text[$0...].starts(with: mark) }) {
      let authority = found + mark.count
      let end = text[authority...].firstIndex { "/?# ".utf8.contains($0) } ?? text.endIndex
      start = end
      guard let at = text[authority..<end].lastIndex(of: UInt8(ascii: "@")),
        let colon = text[authority..<at].firstIndex(of: UInt8(ascii: ":"))
      else { continue }
      let password = (colon + 1)..<at
      if !password.isEmpty, !text[password].contains(0) {
        notes.conceal(place)
        notes.report(
          .secretInManifest, "The template contains a password.",
          hint: "Declare it as a key, and write {NAME:url} in its place.", at: place)
      }
      for part in places where password.contains(part.offset) && part.form == .plain {
        notes.report(
          .questionable,
          "\"\(part.key)\" is inserted into an address as it is: some characters of a password would end it.",
          hint: "Write {\(part.key):url}.", at: place)
      }
    }
  }
}
