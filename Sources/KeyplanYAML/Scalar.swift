/// Text in a YAML document, and how it is quoted.
package struct Scalar: Hashable, Sendable {
  package enum Style: Hashable, Sendable {
    /// Without quotes. Only plain text can have another meaning than itself.
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

  /// The meaning of a text in the core schema of YAML 1.2 (section 10.3).
  package enum Resolved: Hashable, Sendable {
    /// `null`, `~` or empty.
    case null
    /// `true` or `false`, also in upper case. `yes`, `no`, `on` and `off` are strings.
    case bool(Bool)
    /// Decimal, `0o17` or `0x1F`. `0777` is decimal.
    case int(Int)
    /// A number with a point or an exponent, `.inf`, `.nan`, or an integer too large for ``int(_:)``.
    case float(Double)
    /// Anything else, and everything quoted.
    case string(String)
  }

  /// The text without quotes, escapes, folding and indentation.
  package let text: String
  package let style: Style
  let tag: CoreTag?

  /// The meaning of the text: determined by its tag, or by the core schema if it is plain; otherwise the text itself.
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

  /// Whether the text has the type of its tag. ``resolved`` relies on this.
  var fitsTag: Bool {
    guard let tag, tag != .str else { return true }
    return switch (tag, CoreSchema.resolve(text)) {
    case (.null, .null), (.bool, .bool), (.int, .int), (.float, .int), (.float, .float): true
    default: false
    }
  }
}
