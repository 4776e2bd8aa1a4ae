import CLibYAML

/// The libyaml that the program runs with.
package enum YAMLLibrary {
  /// Such as `0.2.5`.
  package static var version: String { String(cString: yaml_get_version_string()) }
}
