public import Foundation

/// A session bus of its own, and GNOME Keyring on it.
public final class KeyringServer {
  /// Where its socket and its keyrings are.
  public let scratch: Scratch
  private let bus: Process
  private var keyring: Process?
  /// The bus's, for `DBUS_SESSION_BUS_ADDRESS`.
  public let address: String

  /// Whether its programs are installed; CI must have them.
  public static let isHere =
    (try? Child.run([
      "sh", "-c", "command -v dbus-daemon dbus-send gnome-keyring-daemon secret-tool >/dev/null",
    ])) == 0
    || ProcessInfo.processInfo.environment["CI"] != nil
  /// Why tests are skipped without it.
  public static let missing = "a keyring is missing: apt install gnome-keyring libsecret-tools dbus-daemon"
  /// Python's keyring and SecretStorage are in the tests' Python environment.
  public static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  /// A program that it needs is missing, or did not do what was asked.
  public struct NotStarted: Error {}

  /// What runs on the bus.
  public enum Program: Sendable {
    /// GNOME Keyring with an unlocked keyring.
    case unlocked
    /// GNOME Keyring without a keyring; the bus starts it.
    case empty
    /// Nothing, and nothing that the bus could start.
    case none
  }

  /// Starts the bus, and what runs on it.
  public init(_ program: Program = .unlocked) throws {
    scratch = try Scratch()
    try scratch.folder("run")
    try scratch.write(
      """
      <busconfig><type>session</type><listen>unix:path=\(scratch["run/bus"])</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>
      """, to: "bare.conf")
    address = "unix:path=\(scratch["run/bus"])"
    let options =
      program == .none ? ["--config-file=\(scratch["bare.conf"])"] : ["--session", "--address=\(address)"]
    bus = Child.process(
      ["env", "-i"] + Self.variables(scratch, address) + [
        "dbus-daemon", "--nofork", "--nopidfile", "--print-address=1",
      ]
        + options)
    let output = Pipe()
    bus.standardOutput = output
    bus.standardError = FileHandle.nullDevice
    try bus.run()
    guard let said = output.waitedFor, !said.isEmpty else { throw NotStarted() }
    guard program == .unlocked else { return }
    // In the foreground: a daemon would inherit the socket by which `Process` waits for its end.
    let keyring = Child.process(
      ["env", "-i"] + Self.variables(scratch, address) + [
        "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets",
      ])
    let password = Pipe()
    keyring.standardInput = password
    keyring.standardOutput = FileHandle.nullDevice
    keyring.standardError = FileHandle.nullDevice
    try keyring.run()
    self.keyring = keyring
    try password.fileHandleForWriting.write(contentsOf: Data("keyringpw".utf8))
    try password.fileHandleForWriting.close()
    guard try waitForProgram() else { throw NotStarted() }
  }

  /// Waits until a program provides the Secret Service; false if none does.
  public func waitForProgram() throws -> Bool {
    try run(
      "for i in $(seq 500); do " + Self.ask("NameHasOwner")
        + " | grep -q 'boolean true' && exit 0; sleep 0.02; done; exit 1"
    ).status == 0
  }

  /// The process of the program that provides the Secret Service.
  public func processId() throws -> pid_t {
    let reply = try run(Self.ask("GetConnectionUnixProcessID")).text
    guard let id = reply.split(whereSeparator: \.isWhitespace).last.flatMap({ pid_t($0) }) else { throw NotStarted() }
    return id
  }

  deinit {
    // Not SIGTERM: Swift's threads block it, and what they start inherits that.
    for process in [keyring, bus].compactMap({ $0 }) {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  private static func ask(_ method: String) -> String {
    "dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.\(method) "
      + "string:org.freedesktop.secrets"
  }

  private static func variables(_ scratch: Scratch, _ address: String) -> [String] {
    [
      "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=\(scratch.path)", "XDG_RUNTIME_DIR=\(scratch["run"])",
      "DBUS_SESSION_BUS_ADDRESS=\(address)", "LANG=C.UTF-8",
    ]
  }

  /// Runs a shell script on the bus.
  @discardableResult
  public func run(_ script: String) throws -> Child.Answer {
    try Child.answer(["env", "-i"] + Self.variables(scratch, address) + ["sh", "-c", script])
  }

  /// Runs a Python script on the bus.
  public func python(_ script: String) throws -> Child.Answer {
    guard let python = Self.python else { throw NotStarted() }
    return try Child.answer(["env", "-i"] + Self.variables(scratch, address) + [python, "-c", script])
  }

  /// Stores an item with the user's own program.
  public func store(_ value: String, _ attributes: String) throws {
    guard try run("printf %s '\(value)' | secret-tool store --label=x \(attributes)").status == 0 else {
      throw NotStarted()
    }
  }

  /// Locks the keyring.
  public func lock() throws {
    let status = try run(
      "dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets "
        + "org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login"
    ).status
    guard status == 0 else { throw NotStarted() }
  }

  /// What leads programs to it.
  public var variables: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }
}
