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
  ///   - help: a description in one line.
  ///   - isSupported: whether this version can use it; a manifest may name one that it cannot.
  ///   - isPreview: whether it was judged in full by neither the service nor its own client.
  ///   - digest: the digest of a description in the manifest; nil for a built-in one.
  ///   - isEncrypted: whether its files are encrypted for certain people, so that they can be committed.
  ///   - connection: the fields of a connection in `connections:`; nil for a backend of this machine.
  ///   - reference: the form of references to it; nil if it cannot be read.
  ///   - target: the fields of a target of this type; nil if it cannot be written.
  ///   - issuer: the way in which keys are made there; nil if none are.
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

  /// The part that requests insert into a path after its first part, so that a path copied from an address has it twice (`data` of Vault).
  /// Nil for none.
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
  /// A description in one line; empty if the title is enough.
  package var help: String { content.help }
  /// Whether this version can use it.
  package var isSupported: Bool { content.isSupported }
  /// Whether it was judged in full by neither the service nor its own client.
  package var isPreview: Bool { content.isPreview }
  /// The digest of a description in the manifest, `sha256:…`: it decides what is sent. Nil for a built-in one.
  package var digest: String? { content.digest }
  /// Whether its files are encrypted for certain people, so that they can be committed.
  package var isEncrypted: Bool { content.isEncrypted }
  /// The fields of a connection in `connections:`; nil for a backend of this machine.
  package var connection: ConnectionGrammar? { content.connection }
  /// The form of references to it; nil if it cannot be read.
  package var reference: ReferenceGrammar? { content.reference }
  /// The fields of a target of this type; nil if it cannot be written.
  package var target: TargetGrammar? { content.target }
  /// The way in which keys are made and revoked there; nil if none are.
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

/// The form of references to a backend: `NAME://LOCATION#SELECTOR`, or a mapping.
package struct ReferenceGrammar: Hashable, Sendable {
  /// The meaning of the part before `#`.
  package enum Location: Hashable, Sendable {
    /// A variable of the environment.
    case variable
    /// A file, relative to the manifest; outside its folder it is surface.
    case file
    /// A program and its arguments: the mapping form only, always surface.
    case command
    /// A place in a service, in the service's own form.
    /// - Parameters:
    ///   - what: completes `NAME:// takes …`: "the path of a secret".
    ///   - pattern: the pattern that it must match; nil for any text.
    case place(what: String, pattern: FormatPattern? = nil)
    /// A place in a service that is made of fields: `shop/live?path=/billing`.
    case fields(PlaceFields)
  }

  /// The meaning of the part after `#`.
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

  /// The meaning of the location.
  package let location: Location
  /// The meaning of the selector.
  package let selector: Selector
  /// An example of a reference: `dotenv://.env#NAME`.
  package let example: String
  /// Whether the value is local to this machine, so that its absence elsewhere means nothing.
  package let isLocal: Bool
  /// Whether a secret can be removed from there.
  package let isRemovable: Bool
  /// Whether each place requires permission, as a file outside the manifest's folder does.
  package let isOutside: Bool
  /// The meaning of a reference, in one line.
  package let help: String

  /// - Parameters:
  ///   - example: a complete reference, for hints.
  ///   - help: the meaning of a reference, in one line.
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
