/// One field of a connection or a target in the manifest.
public struct BackendField: Hashable, Sendable {
  /// What it takes.
  public enum Kind: Hashable, Sendable {
    /// Any text on one line.
    case text
    /// The name of one thing in the service: no part of it is `.` or `..`.
    case name
    /// Names separated by `/`.
    case path
    /// One part of a host's name (RFC 1123).
    case label
    /// An `https://` address, or an `http://` address of this machine.
    case url
    /// `true` or `false`.
    case bool
    /// A whole number within these bounds.
    case int(ClosedRange<Int>)
    /// Texts.
    case list
    /// One of these words.
    case choice([String])
    /// Where a secret is found. The secret itself is an error.
    case secret
    /// The path of a file: for a target, its place; for a connection, a file that it reads.
    case file
    /// The permissions of a target's file, in octal.
    case mode
  }

  /// The field's name in the manifest.
  public let name: String
  /// What it takes.
  public let kind: Kind
  /// What it is where nothing else says it; nil for nothing.
  public let defaultText: String?
  /// Whether it must be in the manifest.
  public let isRequired: Bool
  /// What its text must match; nil for whatever its kind takes.
  public let pattern: FormatPattern?
  /// The variables that the service's own programs take it from, in order; they count where the manifest is silent.
  public let variables: [String]
  /// Whether the place of a target depends on it: with another value, the same words name another place.
  public let isPlace: Bool
  /// A value for examples, as YAML; nil for one of its kind.
  public let example: String?
  /// What it is, in one line.
  public let help: String

  /// An optional text by default.
  public init(
    _ name: String, _ kind: Kind = .text, default defaultText: String? = nil, isRequired: Bool = false,
    pattern: FormatPattern? = nil, variables: [String] = [], isPlace: Bool = false, example: String? = nil,
    help: String = ""
  ) {
    self.example = example
    self.name = name
    self.kind = kind
    self.defaultText = defaultText
    self.isRequired = isRequired
    self.pattern = pattern
    self.variables = variables
    self.isPlace = isPlace
    self.help = help
  }
}

/// What a connection to a service is made of.
public struct ConnectionGrammar: Hashable, Sendable {
  /// The fields beside `type`.
  public let fields: [BackendField]
  /// The hosts that get a credential beside those of the addresses among the fields. `{FIELD}` stands for the text of a field
  /// that is a label, which cannot lead to another domain: `secretsmanager.{region}.amazonaws.com`.
  public let hosts: [String]
  /// Whether the backend can be used without a connection in the manifest: its own name is then the scheme of references and
  /// the type of targets, and its fields have their defaults or come from the environment.
  public let isOptional: Bool

  /// - Parameter hosts: hosts beside those of the addresses among the fields.
  public init(_ fields: [BackendField] = [], hosts: [String] = [], isOptional: Bool = false) {
    self.fields = fields
    self.hosts = hosts
    self.isOptional = isOptional
  }
}
