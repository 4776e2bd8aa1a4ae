/// The encoding of records, and how the digest is authenticated. Its name is in the header, which the root authenticates.
/// Sealing and row ids are the same in all formats.
enum StoreFormat: String, CaseIterable {
  /// Fields in a fixed order, to which nothing can be added. Such stores are still read and written, until they are
  /// upgraded.
  case fixedFields = "kp1"
  /// Numbered fields; unknown ones are kept.
  case numberedFields = "kp2"
  /// The same records, with a signed root: it can be verified with a public key, so that recipients can plan who can
  /// neither read a value nor change anything.
  case signedRoot = "kp3"
  /// The same, with keys whose values only some recipients can open. Its name has the first version that reads it.
  case groups = "kp4/0.1.0"

  /// The format of new and upgraded stores, unless they need a later one.
  static let current = signedRoot

  /// For example `kp1, kp2`.
  static let known = StoreFormats.names.joined(separator: ", ")

  /// For example 1 for `kp1`.
  var number: Int {
    switch self {
    case .fixedFields: 1
    case .numberedFields: 2
    case .signedRoot: 3
    case .groups: 4
    }
  }

  /// The format in which a store of this one is written anew.
  var atLeastCurrent: StoreFormat { number < Self.current.number ? .current : self }

  init?(number: Int) {
    guard let format = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = format
  }

  /// The first byte of each record.
  var encoding: UInt8 { self == .fixedFields ? 1 : 2 }

  /// Whether records have fields that later versions of keyplan added.
  var hasFields: Bool { self != .fixedFields }

  /// Whether recipients can be limited to planning.
  var hasRoles: Bool { number >= Self.signedRoot.number }

  /// Whether keys can be limited to some recipients.
  var hasGroups: Bool { self == .groups }
}

/// The formats of stores that this version reads and writes.
package enum StoreFormats {
  /// Oldest first, for example `kp1`.
  package static var names: [String] { StoreFormat.allCases.map { String($0.rawValue.prefix { $0 != "/" }) } }
}
