internal import KeyplanFiles
package import KeyplanModel

#if canImport(Glibc)
package import Glibc
#elseif canImport(Darwin)
package import Darwin
#endif

/// The process environment of operations. Created once, at program start.
package struct World: Sendable {
  /// The working directory, absolute.
  package let directory: String
  /// The person's home directory.
  package let home: String
  /// The umask that the process was started with.
  package let mask: mode_t
  /// Whether the process is interactive: standard input and standard error are terminals.
  package let isAttended: Bool
  /// Whether the process ends with the operation, so that large values need not be freed.
  package let endsWithOperation: Bool
  /// The options of this run.
  package var settings: Settings
  /// Receives warnings and progress, and asks for confirmation.
  package var console: any Console
  /// The sign-ins to end after the operation.
  package let signIns: OpenSignIns
  /// The unknown stores that may be contacted.
  let contacts = Contacts()

  /// The world of this process.
  package init(
    mask: mode_t, isAttended: Bool, endsWithOperation: Bool, settings: Settings, console: any Console,
    signIns: OpenSignIns = OpenSignIns()
  ) {
    self.signIns = signIns
    (directory, home) = (Self.workingDirectory(), Self.setting("HOME") ?? "/")
    self.endsWithOperation = endsWithOperation
    (self.mask, self.isAttended, self.settings, self.console) = (mask, isAttended, settings, console)
  }

  /// The time, in whole seconds.
  package var now: Moment { Self.now }

  /// The same without a world.
  package static var now: Moment { Moment(seconds: Int64(time(nil))) }

  /// A variable that is set and not empty.
  package func variable(_ name: String) -> String? { Self.variable(name) }

  /// The same without a world.
  package static func variable(_ name: String) -> String? { setting(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// All variables of the environment. Read again each time: with a thousand variables that takes longer than reading a key.
  package var variables: [String: String] { Self.environment() }

  private static func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// keyplan's directory for settings (XDG base directories).
  package var configuration: String { (variable("XDG_CONFIG_HOME") ?? inHome(".config")) + "/keyplan" }

  /// keyplan's directory for disposable state (XDG base directories).
  package var state: String { (variable("XDG_STATE_HOME") ?? inHome(".local/state")) + "/keyplan" }

  /// Without HOME, home is the root, as it is for services.
  private func inHome(_ path: some StringProtocol) -> String { home.hasSuffix("/") ? home + path : "\(home)/\(path)" }

  /// Resolves a path as typed by the user.
  package func absolute(_ path: String) -> String { absolute(path, in: directory) }

  /// The same for a path that is relative to a folder.
  package func absolute(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") { return path }
    if path == "~" { return home }
    if path.hasPrefix("~/") { return inHome(path.dropFirst(2)) }
    return folder + "/" + path
  }

  /// Whether something has this name.
  package func fileExists(_ path: String) -> Bool { access(absolute(path), F_OK) == 0 }

  /// Sets the mode of a file without secrets, which belongs in git, to the one that the user's umask allows. Only its owner may write it,
  /// because trust depends on it.
  package func publish(_ path: String) { chmod(path, 0o644 & ~mask) }

  static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let bytes = UnsafeBufferPointer(start: text, count: strlen(text))
      if let mark = bytes.firstIndex(of: CChar(UInt8(ascii: "="))) {
        let name = String(
          decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<mark]), as: UTF8.self)
        // As `getenv` has it: of two, the first.
        if variables[name] == nil {
          variables[name] = String(
            decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[(mark + 1)...]), as: UTF8.self)
        }
      }
      entry += 1
    }
    return variables
  }

  private static func workingDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }
}
