import CLibYAML

/// The libyaml with which the program runs.
package enum YAMLLibrary {
  /// For example `0.2.5`.
  package static var version: String { String(cString: yaml_get_version_string()) }
}
