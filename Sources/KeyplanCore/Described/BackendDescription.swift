/// A kind of place that secrets are read from, written to, or both: a file format or a service, described once.
///
/// The manifest's reader and its suggestions, the JSON Schema, completion and canonical order follow from the description.
public struct BackendDescription: Hashable, Sendable {
  @Indirect private var content: Content

  private struct Content: Hashable {
    var name: String
    var title: String
    var isSupported: Bool
    var hasConnection: Bool
    var host: String?
    var reference: ReferenceGrammar?
    var target: TargetGrammar?
  }

  /// - Parameters:
  ///   - title: the name for people, for `TITLE sources`; the name itself by default.
  ///   - isSupported: whether this version can use it; a manifest may name one that it cannot.
  ///   - hasConnection: whether `connections:` may name a way to it.
  ///   - host: the host that gets a credential, as surface; nil for a backend of this machine.
  ///   - reference: how references to it look; nil where nothing is read.
  ///   - target: what a target of this type is made of; nil where nothing is written.
  public init(
    _ name: String, title: String? = nil, isSupported: Bool = true, hasConnection: Bool = false, host: String? = nil,
    reference: ReferenceGrammar? = nil, target: TargetGrammar? = nil
  ) {
    content = Content(
      name: name, title: title ?? name, isSupported: isSupported, hasConnection: hasConnection, host: host,
      reference: reference, target: target)
  }

  /// The scheme of references, and the type of targets and connections: `dotenv`.
  public var name: String { content.name }
  /// The name for people: `AWS Secrets Manager`.
  public var title: String { content.title }
  /// Whether this version can use it.
  public var isSupported: Bool { content.isSupported }
  /// Whether `connections:` may name a way to it.
  public var hasConnection: Bool { content.hasConnection }
  /// What must be allowed before anything is read or written there; nil for a backend of this machine.
  public var surface: ExternalAccess? { content.host.map { ExternalAccess(.host, $0) } }
  /// How references to it look; nil where nothing is read.
  public var reference: ReferenceGrammar? { content.reference }
  /// What a target of this type is made of; nil where nothing is written.
  public var target: TargetGrammar? { content.target }
}

/// What references to a backend look like: `NAME://LOCATION#SELECTOR`, or a mapping.
public struct ReferenceGrammar: Hashable, Sendable {
  /// What the part before `#` names.
  public enum Location: Hashable, Sendable {
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
  }

  /// What the part after `#` is.
  public enum Selector: Hashable, Sendable {
    /// There is none.
    case none
    /// A variable's name.
    case name
    /// A `NestedName`.
    case pointer
    /// A `NestedName`, or keys separated by `/` without one at the beginning, as earlier versions wrote them.
    case keys
    /// A field of a secret that may have several; it can be left out.
    case field
  }

  /// What the location names.
  public let location: Location
  /// What the selector is.
  public let selector: Selector
  /// One reference as it is written: `dotenv://.env#NAME`.
  public let example: String
  /// Whether the value belongs to this machine, so that its absence elsewhere says nothing.
  public let isLocal: Bool
  /// Whether a secret can be taken away from there.
  public let isRemovable: Bool

  /// - Parameter example: a whole reference, for hints.
  public init(
    _ location: Location, selector: Selector = .none, example: String, isLocal: Bool, isRemovable: Bool = false
  ) {
    self.location = location
    self.selector = selector
    self.example = example
    self.isLocal = isLocal
    self.isRemovable = isRemovable
  }
}
