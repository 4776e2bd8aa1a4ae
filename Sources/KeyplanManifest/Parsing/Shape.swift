import KeyplanModel

/// The fields of one place of the manifest, as rows. They determine which fields are allowed, their order, which parts of a line may be
/// shown, the JSON Schema (`schemas/keyplan.schema.json`) and the reference page (`docs/manifest-fields.md`).
struct Shape: Sendable {
  /// The place for diagnostics, for example `a key`.
  let what: String
  let rows: [Row]
  let fields: [String]

  /// One field.
  struct Row: Sendable {
    let name: String
    let form: Form
    let isRequired: Bool
    /// Whether its values are names or keywords, which are shown even where the rest of a line is masked.
    let isHarmless: Bool
    let help: String

    init(_ name: String, _ form: Form, isRequired: Bool = false, isHarmless: Bool = false, help: String) {
      self.name = name
      self.form = form
      self.isRequired = isRequired
      self.isHarmless = isHarmless
      self.help = help
    }
  }

  /// The type of a field's value.
  indirect enum Form: Sendable {
    case text, flag, duration, moment, name, variable, source
    case choice([String])
    case list(of: Form)
    /// A definition of the schema.
    case defined(String)
    /// A special form, which only the schema defines; as text for the reference page.
    case own(String)
  }

  init(_ what: String, _ rows: [Row]) {
    self.what = what
    self.rows = rows
    fields = rows.map(\.name)
  }

  /// A place whose fields are described elsewhere.
  init(_ what: String, names: [String]) {
    self.what = what
    rows = []
    fields = names
  }
}
