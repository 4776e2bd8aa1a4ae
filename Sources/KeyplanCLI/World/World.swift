internal import KeyplanCore
internal import KeyplanFiles

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Everything outside that a command may use, built once at the edge.
struct World: Sendable {
  /// The working directory.
  let directory: String
  /// The person's home.
  let home: String
  /// Where results go.
  let out: Output
  /// Where talk goes.
  let err: Output
  /// Whether somebody can be asked on standard input.
  let inputIsTerminal: Bool
  /// What was done to the process at its start.
  let hardening: Hardening

  /// The world as the process finds it.
  static func current(_ hardening: Hardening) -> World {
    let isReadByCI = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"].contains { setting($0)?.isEmpty == false }
    return World(
      directory: workingDirectory(), home: setting("HOME") ?? "/",
      out: Output(descriptor: STDOUT_FILENO, isReadByCI: isReadByCI),
      err: Output(descriptor: STDERR_FILENO, isReadByCI: isReadByCI),
      inputIsTerminal: isatty(STDIN_FILENO) == 1, hardening: hardening)
  }

  /// The time, in whole seconds.
  var now: Moment { Moment(seconds: Int64(time(nil))) }

  /// A variable that is set and not empty.
  func variable(_ name: String) -> String? {
    Self.setting(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// All variables of the environment, made anew: where there are a thousand, that takes longer than finding a key.
  var variables: [String: String] { Self.environment() }

  private static func setting(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Where settings of this person live (XDG base directories).
  var configuration: String { (variable("XDG_CONFIG_HOME") ?? inHome(".config")) + "/keyplan" }

  /// Where programs of this person keep what they can do without (XDG base directories).
  var state: String { (variable("XDG_STATE_HOME") ?? inHome(".local/state")) + "/keyplan" }

  /// Without HOME, home is the root, as it is for services.
  private func inHome(_ path: some StringProtocol) -> String { home.hasSuffix("/") ? home + path : "\(home)/\(path)" }

  /// Resolves a path as the person typed it.
  func absolute(_ path: String) -> String { absolute(path, in: directory) }

  /// The same for a path that is relative to a folder.
  func absolute(_ path: String, in folder: String) -> String {
    if path.hasPrefix("/") { return path }
    if path == "~" { return home }
    if path.hasPrefix("~/") { return inHome(path.dropFirst(2)) }
    return folder + "/" + path
  }

  /// Whether something has this name.
  func fileExists(_ path: String) -> Bool { access(absolute(path), F_OK) == 0 }

  /// Gives a file without secrets, which belongs in git, the mode that the person's umask means; but only its owner may write it,
  /// since it decides what is trusted.
  func publish(_ path: String) { chmod(path, 0o644 & ~hardening.mask) }

  private static func environment() -> [String: String] {
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
