import KeyplanYAML

extension YAMLDocument {
  /// The version of libyaml, for example `0.2.5`.
  package static var libraryVersion: String { YAMLLibrary.version }
}
