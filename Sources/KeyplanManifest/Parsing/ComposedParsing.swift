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
    case .notAName(let place):
      (
        "Place \(place) of the template: the text in braces is not the name of a key.",
        "Write {NAME}, {NAME:url}, {NAME:json} or {NAME:base64}, and {{ for a brace."
      )
    case .notAForm(let form, let place):
      // Only a word that is nearly a form is certain not to be a password.
      if let near = Suggestion.nearest(to: form, among: ["url", "json", "base64"]) {
        ("Place \(place) of the template: \"\(form)\" is not a form.", ManifestMessages.didYouMean(near))
      } else {
        (
          "Place \(place) of the template: the word after the colon is not a form.",
          "The forms are url, json and base64: {NAME:url}. For a brace, write {{."
        )
      }
    case .noPart:
      (
        "The template has no place for the value of a key.",
        "Write {NAME} for it. A text without a secret needs no key."
      )
    case .tooLong: ("The template is longer than 64 KiB.", nil)
    case .tooManyParts: ("The template names more than \(Composition.partLimit) keys.", "Compose some of them apart.")
    }
  }

  /// Reports a password in an address or in a field, and a value that is inserted there as it is.
  private mutating func checkAddress(_ composition: Composition, at place: FileLocation) {
    let text = TemplateText(composition)
    let secret =
      text.hasPassword
      ? "The template contains a password." : text.secretField.map { "The template contains a value of \"\($0)\"." }
    if let secret {
      notes.conceal(place)
      notes.report(
        .secretInManifest, secret, hint: "Declare it as a key, and write {NAME:url} in its place.", at: place)
    }
    for number in text.bareInPasswords {
      notes.report(
        .questionable,
        "Place \(number) of the template inserts a value into an address as it is: some characters of a password would end it.",
        hint: "Write {NAME:url} with the key's name.", at: place)
    }
  }
}
