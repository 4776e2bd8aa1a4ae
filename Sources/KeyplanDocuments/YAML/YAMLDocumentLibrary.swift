import KeyplanYAML

extension YAMLDocument {
  /// The version of the library that reads YAML, such as `0.2.5`.
  package static var libraryVersion: String { YAMLLibrary.version }
}
