/// A JSON value that a description contains.
package indirect enum JSONLiteral: Hashable, Sendable {
  case null
  case bool(Bool)
  /// As it is written.
  case number(String)
  case string(String)
  case array([JSONLiteral])
  case object([Named<JSONLiteral>])

  /// Whether two numbers are equal, however they are written.
  package static func isSameNumber(_ one: String, _ other: String) -> Bool {
    if let one = Int(one), let other = Int(other) { return one == other }
    guard let one = Double(one), let other = Double(other) else { return false }
    return one == other
  }
}
