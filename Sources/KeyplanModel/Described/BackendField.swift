/// One field of a connection or a target in the manifest.
package struct BackendField: Hashable, Sendable {
  /// The type of its value.
  package enum Kind: Hashable, Sendable {
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
    /// Several such addresses; each of their hosts may get the connection's credential.
    case urls
    /// `true` or `false`.
    case bool
    /// A whole number within these bounds.
    case int(ClosedRange<Int>)
    /// Texts.
    case list
    /// One of these words.
    case choice([String])
    /// A reference to a secret. The secret itself is an error.
    case secret
    /// An OpenID Connect token that a CI service issues for a job: a reference to it, or the audience to request from GitHub Actions.
    case identityToken
    /// One of several methods, each with fields of its own: the method's name, or a mapping from it to its fields.
    case method([BackendMethod])
    /// The path of a file: for a target, its place; for a connection, a file that it reads.
    case file
    /// The permissions of a target's file, in octal.
    case mode
    /// A program and its arguments, for a target. Running it requires permission.
    case command
  }

  /// The field's name in the manifest.
  package let name: String
  /// The type of its value.
  package let kind: Kind
  /// The default value; nil for none.
  package let defaultText: String?
  /// Whether it must be in the manifest.
  package let isRequired: Bool
  /// A pattern that the text must match; nil for none.
  package let pattern: FormatPattern?
  /// The environment variables of the service's own programs, in order. They are used if the manifest does not set the field.
  package let variables: [String]
  /// Whether it is part of the identity of a target's place.
  package let isPlace: Bool
  /// Whether it decides, as a field of a target, which host gets a credential. Its values are then terms of the
  /// connection's permission.
  package let isAccess: Bool
  /// A value for examples, as YAML; nil for one derived from the kind.
  package let example: String?
  /// A description in one line.
  package let help: String

  /// An optional text by default.
  package init(
    _ name: String, _ kind: Kind = .text, default defaultText: String? = nil, isRequired: Bool = false,
    pattern: FormatPattern? = nil, variables: [String] = [], isPlace: Bool = false, isAccess: Bool = false,
    example: String? = nil, help: String = ""
  ) {
    self.isAccess = isAccess
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

  func named(_ name: String) -> BackendField {
    BackendField(
      name, kind, default: defaultText, isRequired: isRequired, pattern: pattern, variables: variables,
      isPlace: isPlace, example: example, help: help)
  }
}

/// One of the methods that a field can choose from.
package struct BackendMethod: Hashable, Sendable {
  /// The method's name in the manifest.
  package let name: String
  /// Its fields; none of them is a method itself.
  package let fields: [BackendField]
  /// A description in one line.
  package let help: String

  /// Optional fields only, or none: the name alone is enough.
  package init(_ name: String, _ fields: [BackendField] = [], help: String = "") {
    self.name = name
    self.fields = fields
    self.help = help
  }
}

/// The fields of a connection to a service.
package struct ConnectionGrammar: Hashable, Sendable {
  /// The fields other than `type`.
  package let fields: [BackendField]
  /// Hosts that receive a credential, in addition to the hosts of `url` fields. `{FIELD}` is replaced by the value of a `label`
  /// field, which cannot change the domain: `secretsmanager.{region}.amazonaws.com`.
  package let hosts: [String]
  /// Whether the backend can be used without a connection in the manifest: its own name is then the scheme of references and
  /// the type of targets, and its fields have their defaults or come from the environment.
  package let isOptional: Bool
  /// The optional fields that an example has; nil for all secrets.
  package let exampleFields: [String]?

  /// - Parameters:
  ///   - hosts: hosts in addition to those of `url` fields.
  ///   - exampleFields: the optional fields that an example has, if not all secrets can be used together.
  package init(
    _ fields: [BackendField] = [], hosts: [String] = [], isOptional: Bool = false, exampleFields: [String]? = nil
  ) {
    self.exampleFields = exampleFields
    self.fields = fields
    self.hosts = hosts
    self.isOptional = isOptional
  }

  /// All fields; those of methods have the name under which a connection has their values: `auth.jwt.role`.
  package var allFields: [BackendField] {
    fields.flatMap { field -> [BackendField] in
      guard case .method(let methods) = field.kind else { return [field] }
      return [field]
        + methods.flatMap { method in method.fields.map { $0.named("\(field.name).\(method.name).\($0.name)") } }
    }
  }
}
