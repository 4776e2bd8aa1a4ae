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

  /// The format of new and upgraded stores.
  static let current = signedRoot

  /// For example `kp1, kp2`.
  static let known = allCases.map(\.rawValue).joined(separator: ", ")

  /// For example 1 for `kp1`.
  var number: Int {
    switch self {
    case .fixedFields: 1
    case .numberedFields: 2
    case .signedRoot: 3
    }
  }

  /// The first byte of each record.
  var encoding: UInt8 { self == .fixedFields ? 1 : 2 }

  /// Whether records have fields that later versions of keyplan added.
  var hasFields: Bool { self != .fixedFields }

  /// Whether recipients can be limited to planning.
  var hasRoles: Bool { self == .signedRoot }
}
