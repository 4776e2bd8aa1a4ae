import CLibYAML

/// The libyaml that the program runs with.
public enum YAMLLibrary {
  /// Such as `0.2.5`.
  public static var version: String { String(cString: yaml_get_version_string()) }
}
