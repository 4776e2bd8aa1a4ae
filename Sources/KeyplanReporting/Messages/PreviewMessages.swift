/// The words for previews.
package enum PreviewMessages {
  /// Completes `Preview: …`.
  static let meaning = "judged in full by neither the service nor its own client"

  /// A sentence about a backend.
  static let sentence = "It was tested with a simulation, and \(meaning)."

  /// The sentence about checks that are previews.
  /// - Parameter providers: not empty.
  package static func checks(of providers: [String]) -> String {
    let which = providers.joined(separator: ", ")
    return providers.count == 1
      ? "The check of \(which) is a preview: \(meaning)." : "The checks of \(which) are previews: \(meaning)."
  }
}
