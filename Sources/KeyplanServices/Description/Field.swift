package import KeyplanModel

extension SecretAPI {
  /// A field of a connection or of a place.
  package struct Field: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      /// One segment of a path.
      case name
      /// Any text, for places other than a path.
      case text
      /// Several segments of a path.
      case path
      /// One label of a host name.
      case label
      /// An `https` address, or `http` on this machine.
      case url
      case bool
      case int
      /// Texts separated by commas.
      case list
      /// A JSON value, for the body of a request only.
      case json
      /// A credential: sent only where the description signs in.
      case secret
      /// A token that a CI service issues for a job; a credential, too.
      case jwt

      package var isSecret: Bool { self == .secret || self == .jwt }
    }

    package let name: String
    package var kind: Kind
    /// The default value.
    package var initial: String?
    package var pattern: FormatPattern?
    /// Whether nothing works without it: declared so, or used in the address of every request.
    package var isRequired = false
    /// The scheme of an address that is written without one, such as `127.0.0.1:8500`; nil if that is invalid.
    package var scheme: String?
    /// The end that an address may have and that is not a part of it: `/api`.
    package var ending: String?
    /// The variables that hold it by convention, in the order in which they count.
    package var environment: [String] = []
    package var help: String?
    /// A value for examples.
    package var example: String?

    package init(_ name: String, _ kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }
}
