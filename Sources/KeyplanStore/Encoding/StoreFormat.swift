/// How a store writes its records. The header names it, and the root authenticates that. Sealing, row ids and the digest are the
/// same in all of them.
enum StoreFormat: String, CaseIterable {
  /// Fields in a fixed order: nothing can be added to a record. A store in it is read and written on, until it is upgraded.
  case fixedFields = "kp1"
  /// Numbered fields, of which those that a program does not know are kept.
  case numberedFields = "kp2"

  /// The format of new stores, and the one that older stores are upgraded to.
  static let current = numberedFields

  /// `kp1 and kp2`.
  static let known = allCases.map(\.rawValue).joined(separator: " and ")

  /// 1 for `kp1`.
  var number: Int { self == .fixedFields ? 1 : 2 }

  /// The first byte of each record.
  var encoding: UInt8 { UInt8(number) }
}
