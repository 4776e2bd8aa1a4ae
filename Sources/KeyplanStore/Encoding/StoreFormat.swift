/// The encoding of records. Its name is in the header, which the root MAC authenticates. Sealing, row ids and the
/// digest are the same in all formats.
enum StoreFormat: String, CaseIterable {
  /// Fields in a fixed order, to which nothing can be added. Such stores are still read and written, until they are
  /// upgraded.
  case fixedFields = "kp1"
  /// Numbered fields; unknown ones are kept.
  case numberedFields = "kp2"

  /// The format of new and upgraded stores.
  static let current = numberedFields

  /// For example `kp1 and kp2`.
  static let known = allCases.map(\.rawValue).joined(separator: " and ")

  /// For example 1 for `kp1`.
  var number: Int { self == .fixedFields ? 1 : 2 }

  /// The first byte of each record.
  var encoding: UInt8 { UInt8(number) }
}
