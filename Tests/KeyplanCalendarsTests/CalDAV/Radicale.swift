import Foundation
import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanCalendars

/// A CalDAV server that is not ours, in a folder of its own, with the people `alice` and `bob`.
final class Radicale: Sendable {
  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]
  /// In CI it has to be there.
  static let isHere = ProcessInfo.processInfo.environment["CI"] != nil || canRun

  private static let canRun: Bool = {
    guard let python else { return false }
    let asked = Process()
    asked.executableURL = URL(filePath: python)
    asked.arguments = ["-c", "import radicale"]
    asked.standardError = FileHandle.nullDevice
    do { try asked.run() } catch { return false }
    asked.waitUntilExit()
    return asked.terminationStatus == 0
  }()

  let address: String
  private let folder = FileManager.default.temporaryDirectory.appending(path: "keyplan-radicale-\(UUID().uuidString)")
  private let process = Process()

  init() async throws {
    let python = try #require(Self.python, "run make setup-test: Radicale in KEYPLAN_TEST_PYTHON")
    // Radicale takes no port 0; the one that was free a moment ago is.
    let port = try Peer { _ in "" }.port
    address = "http://127.0.0.1:\(port)"
    let calendar = folder.appending(path: "collections/collection-root/alice/team")
    try FileManager.default.createDirectory(at: calendar, withIntermediateDirectories: true)
    try #"{"tag": "VCALENDAR", "D:displayname": "Work & <play>", "C:supported-calendar-component-set": "VEVENT"}"#
      .write(to: calendar.appending(path: ".Radicale.props"), atomically: true, encoding: .utf8)
    let tasks = calendar.deletingLastPathComponent().appending(path: "tasks")
    try FileManager.default.createDirectory(at: tasks, withIntermediateDirectories: true)
    try #"{"tag": "VCALENDAR", "C:supported-calendar-component-set": "VTODO"}"#
      .write(to: tasks.appending(path: ".Radicale.props"), atomically: true, encoding: .utf8)
    try "alice:\(CalDAVClient.password)\nbob:bobpw\n"
      .write(to: folder.appending(path: "users"), atomically: true, encoding: .utf8)
    let settings = """
      [server]
      hosts = 127.0.0.1:\(port)
      [auth]
      type = htpasswd
      htpasswd_filename = \(folder.path)/users
      htpasswd_encryption = plain
      delay = 0
      [rights]
      type = owner_only
      [storage]
      filesystem_folder = \(folder.path)/collections
      """
    try settings.write(to: folder.appending(path: "config"), atomically: true, encoding: .utf8)
    process.executableURL = URL(filePath: python)
    process.arguments = ["-m", "radicale", "--config", folder.appending(path: "config").path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let root = try HTTPAddress(address)
    for _ in 0..<600 {
      if (try? await HTTPClient().send(HTTPRequest(.get, root))) != nil { return }
      try #require(process.isRunning, "Radicale did not start")
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("Radicale did not answer")
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Writes or, without lines, removes an entry.
  func put(_ name: String, _ lines: String...) async throws {
    let address = try HTTPAddress("\(address)/alice/team/\(name)")
    var request = HTTPRequest(lines.isEmpty ? .delete : .put, address)
    try request.authorize(user: "alice", password: SecretBox(Array(CalDAVClient.password.utf8)))
    if !lines.isEmpty {
      let all = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//t//EN"] + lines + ["END:VCALENDAR", ""]
      request.body = HTTPBody(type: "text/calendar", SecretBox(Array(all.joined(separator: "\r\n").utf8)))
    }
    let response = try await HTTPClient().send(request)
    try #require((200..<300).contains(response.status), "\(response)")
  }
}
