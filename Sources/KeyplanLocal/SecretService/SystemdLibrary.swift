import CSystemd

/// libsystemd, loaded with the first use of a keyring.
package enum SystemdLibrary {
  /// The loader's error message; nil if libsystemd is loaded.
  static let fault = load("libsystemd.so.0")

  /// Loads it.
  package static var isPresent: Bool { fault == nil }

  static func load(_ file: String) -> String? { keyplan_bus_load(file).map { String(cString: $0) } }
}
