/// What the manifest's reader must know about a kind of source to read references to it. Each source brings its own, and
/// the reader gets the list as a value, so that a new source is one file and one line.
public struct SourceScheme: Hashable, Sendable {
  /// What the part before `#` names.
  public enum Location: Sendable {
    /// A variable of the environment.
    case variable
    /// A file, relative to the manifest; outside its folder it is surface.
    case path
    /// A command: the mapping form only, always surface.
    case command
  }

  /// What the part behind `#` is.
  public enum Selector: Sendable {
    /// There is none.
    case none
    /// A variable's name.
    case name
    /// A JSON Pointer (RFC 6901).
    case pointer
    /// Keys separated by `/`.
    case keys
  }

  /// The scheme's name, as it stands before `://`.
  public let name: String
  /// What the location names.
  public let location: Location
  /// What the selector is.
  public let selector: Selector
  /// Whether the value belongs to this machine, so that its absence elsewhere says nothing.
  public let isLocal: Bool
  /// Whether a secret can be taken away from there.
  public let isRemovable: Bool

  /// Nothing is checked.
  public init(_ name: String, location: Location, selector: Selector = .none, isLocal: Bool, isRemovable: Bool = false)
  {
    self.name = name
    self.location = location
    self.selector = selector
    self.isLocal = isLocal
    self.isRemovable = isRemovable
  }
}
