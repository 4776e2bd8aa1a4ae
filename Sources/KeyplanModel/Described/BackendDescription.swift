/// A kind of place that secrets are read from, written to, or both: a file format or a service, described once.
///
/// The manifest's reader and its suggestions, the JSON Schema, completion, canonical order, `keyplan backends` and the pages
/// of the documentation follow from the description.
package struct BackendDescription: Hashable, Sendable {
  @Indirect private var content: Content

  private struct Content: Hashable {
    var name: String
    var title: String
    var help: String
    var isSupported: Bool
    var isPreview: Bool
    var digest: String?
    var isEncrypted: Bool
    var connection: ConnectionGrammar?
    var reference: ReferenceGrammar?
    var target: TargetGrammar?
    var issuer: IssuerGrammar?
    var pace: Pace?
    var insertedPart: String?
  }

  /// - Parameters:
  ///   - title: the name for people, for `TITLE sources`; the name itself by default.
  ///   - help: what it is, in one line.
  ///   - isSupported: whether this version can use it; a manifest may name one that it cannot.
  ///   - isPreview: whether it was tested with a simulation of the service only.
  ///   - digest: what identifies a description in the manifest; nil for a built-in one.
  ///   - isEncrypted: whether its files are encrypted for certain people, so that they can be committed.
  ///   - connection: how `connections:` describes a way to it; nil for a backend of this machine.
  ///   - reference: how references to it look; nil where nothing is read.
  ///   - target: what a target of this type is made of; nil where nothing is written.
  ///   - issuer: how keys are made there; nil where none are.
  ///   - pace: limits on requests; nil for none.
  package init(
    _ name: String, title: String? = nil, help: String = "", isSupported: Bool = true, isPreview: Bool = false,
    digest: String? = nil, isEncrypted: Bool = false, connection: ConnectionGrammar? = nil,
    reference: ReferenceGrammar? = nil, target: TargetGrammar? = nil, issuer: IssuerGrammar? = nil,
    pace: Pace? = nil
  ) {
    content = Content(
      name: name, title: title ?? name, help: help, isSupported: isSupported, isPreview: isPreview, digest: digest,
      isEncrypted: isEncrypted, connection: connection,
      reference: reference, target: target, issuer: issuer, pace: pace)
  }

  /// The part that requests insert into a path after its first part, so that a path copied from an address has it twice
  /// (`data` of Vault). Nil where nothing is inserted.
  package var insertedPart: String? { content.insertedPart }

  /// The same backend, whose requests insert this part into paths.
  package func inserting(_ part: String) -> BackendDescription {
    var description = self
    description.content.insertedPart = part
    return description
  }

  /// The scheme of references, and the type of targets and connections: `dotenv`.
  package var name: String { content.name }
  /// The name for people: `AWS Secrets Manager`.
  package var title: String { content.title }
  /// What it is, in one line; empty where the title says it.
  package var help: String { content.help }
  /// Whether this version can use it.
  package var isSupported: Bool { content.isSupported }
  /// Whether it was tested with a simulation of the service only, and neither with the service nor with its own client.
  package var isPreview: Bool { content.isPreview }
  /// What identifies a description in the manifest, `sha256:…`: it decides what is sent. Nil for a built-in one.
  package var digest: String? { content.digest }
  /// Whether its files are encrypted for certain people, so that they can be committed.
  package var isEncrypted: Bool { content.isEncrypted }
  /// How `connections:` describes a way to it; nil for a backend of this machine.
  package var connection: ConnectionGrammar? { content.connection }
  /// How references to it look; nil where nothing is read.
  package var reference: ReferenceGrammar? { content.reference }
  /// What a target of this type is made of; nil where nothing is written.
  package var target: TargetGrammar? { content.target }
  /// How keys are made and revoked there; nil where none are.
  package var issuer: IssuerGrammar? { content.issuer }
  /// Limits on requests; nil for none.
  package var pace: Pace? { content.pace }
}

/// Limits on requests to a service.
package struct Pace: Hashable, Sendable {
  /// The maximum number of concurrent requests to a host.
  package let concurrency: Int
  /// The time from the start of one request to that of the next.
  package let gap: Duration
  /// The longest wait when a service asks the client to wait.
  package let patience: Duration

  /// - Parameter concurrency: at least one.
  package init(concurrency: Int = 4, gap: Duration = .zero, patience: Duration = .seconds(30)) {
    self.concurrency = max(1, concurrency)
    self.gap = gap
    self.patience = patience
  }
}

/// What references to a backend look like: `NAME://LOCATION#SELECTOR`, or a mapping.
package struct ReferenceGrammar: Hashable, Sendable {
  /// What the part before `#` names.
  package enum Location: Hashable, Sendable {
    /// A variable of the environment.
    case variable
    /// A file, relative to the manifest; outside its folder it is surface.
    case file
    /// A program and its arguments: the mapping form only, always surface.
    case command
    /// A place in a service, in the service's own words.
    /// - Parameters:
    ///   - what: completes `NAME:// takes …`: "the path of a secret".
    ///   - pattern: what it must match; nil for any text.
    case place(what: String, pattern: FormatPattern? = nil)
    /// A place in a service that is made of fields: `shop/live?path=/billing`.
    case fields(PlaceFields)
  }

  /// What the part after `#` is.
  package enum Selector: Hashable, Sendable {
    /// There is none.
    case none
    /// A variable's name.
    case name
    /// A `NestedName`.
    case pointer
    /// A field of a secret that may have several; it can be left out.
    case field
  }

  /// What the location names.
  package let location: Location
  /// What the selector is.
  package let selector: Selector
  /// One reference as it is written: `dotenv://.env#NAME`.
  package let example: String
  /// Whether the value belongs to this machine, so that its absence elsewhere says nothing.
  package let isLocal: Bool
  /// Whether a secret can be taken away from there.
  package let isRemovable: Bool
  /// Whether each place requires permission, as a file outside the manifest's folder does.
  package let isOutside: Bool
  /// What a reference names, in one line.
  package let help: String

  /// - Parameters:
  ///   - example: a whole reference, for hints.
  ///   - help: what a reference names, in one line.
  package init(
    _ location: Location, selector: Selector = .none, example: String, isLocal: Bool, isRemovable: Bool = false,
    isOutside: Bool = false, help: String = ""
  ) {
    self.help = help
    self.isOutside = isOutside
    self.location = location
    self.selector = selector
    self.example = example
    self.isLocal = isLocal
    self.isRemovable = isRemovable
  }
}
