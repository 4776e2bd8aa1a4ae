/// Text in a YAML document, and how it is quoted.
package struct Scalar: Hashable, Sendable {
  /// The ways to write a text.
  package enum Style: Hashable, Sendable {
    /// Without quotes. Only such text can mean something else than itself.
    case plain
    /// `'…'`
    case singleQuoted
    /// `"…"`
    case doubleQuoted
    /// `|`: line breaks are kept.
    case literal
    /// `>`: line breaks become spaces.
    case folded
  }

  /// What a text means by the core schema of YAML 1.2 (section 10.3).
  package enum Resolved: Hashable, Sendable {
    /// `null`, `~` or nothing.
    case null
    /// `true` or `false`, also in capitals. `yes`, `no`, `on` and `off` are strings.
    case bool(Bool)
    /// Decimal, `0o17` or `0x1F`. `0777` is seven hundred and seventy-seven.
    case int(Int)
    /// A number with a point or an exponent, `.inf`, `.nan`, or an integer that does not fit ``int(_:)``.
    case float(Double)
    /// Anything else, and everything quoted.
    case string(String)
  }

  /// The text, with escapes, folding and indentation taken away.
  package let text: String
  /// How it is written.
  package let style: Style
  let tag: CoreTag?

  /// What the text means: by its tag, else by the core schema where it is plain, else itself.
  package var resolved: Resolved {
    switch tag {
    case .some(.str): return .string(text)
    case .none where style != .plain: return .string(text)
    default: break
    }
    let meaning = CoreSchema.resolve(text)
    if tag == .float, case .int(let value) = meaning { return .float(Double(value)) }
    return meaning
  }

  /// Whether the text is what the tag says. Nothing else makes ``resolved`` total.
  var fitsTag: Bool {
    guard let tag, tag != .str else { return true }
    return switch (tag, CoreSchema.resolve(text)) {
    case (.null, .null), (.bool, .bool), (.int, .int), (.float, .int), (.float, .float): true
    default: false
    }
  }
}
