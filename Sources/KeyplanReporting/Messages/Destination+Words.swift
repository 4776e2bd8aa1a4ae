import KeyplanModel

extension Destination {
  /// The place, for people: a file's path, or a service's connection and the place in it.
  var words: String { surface?.kind == .host ? "\(type) \(location)" : location }
}
