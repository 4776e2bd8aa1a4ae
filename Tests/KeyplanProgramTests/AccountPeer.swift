import Foundation
import PostgresForTests
import Testing

/// A real authorization server, or a CalDAV server, in a process of its own, behind a gate that counts and spoils answers.
/// `Fixtures/account_peer.py` says what it understands.
final class AccountPeer {
  enum Kind: String, CaseIterable, Sendable {
    /// As Microsoft: a new refresh token each time, and the old one lives on.
    case microsoft = "mock"
    /// As Google: no other refresh token.
    case google = "django 0 0"
    /// A new one each time, and the old one is refused.
    case rotating = "django 1 0"
    /// A new one each time, and the old one for half a minute.
    case grace = "django 1 30"
    /// A new one each time, and a second use of the old one ends all.
    case strict = "glewlwyd"
    /// As Google for service accounts.
    case signed = "authlib"
    /// CalDAV.
    case password = "radicale"

    /// In what ways what was granted can end there without the account's doing.
    var ends: [String] {
      switch self {
      case .google: ["all", "one", "account"]
      case .strict: ["all", "one"]
      default: ["all"]
      }
    }

    static let withTokens = [microsoft, google, strict].filter(\.isHere)

    /// Whether it is on this machine. In CI what comes from PyPI has to be.
    var isHere: Bool {
      guard let python = AccountPeer.python else { return false }
      if ProcessInfo.processInfo.environment["CI"] != nil, self != .strict { return true }
      switch self {
      case .microsoft:
        return access(URL(filePath: python).deletingLastPathComponent().path + "/oidc-provider-mock", X_OK) == 0
      case .google, .grace, .rotating: return AccountPeer.hasModule("oauth2_provider")
      case .strict: return access("/usr/bin/glewlwyd", X_OK) == 0
      case .signed: return AccountPeer.hasModule("authlib") && AccountPeer.hasModule("flask")
      case .password: return AccountPeer.hasModule("radicale")
      }
    }
  }

  struct Addresses: Decodable {
    let authorize, root, client, robot, secret, person, upstream: String
  }

  /// What the token address was asked.
  struct Asked: Decodable {
    let path: String
    let grant: String?
    let status: Int
  }

  struct Answer: Decodable {
    let status: Int?
    let page: String?
    let error: String?
    let log: [Asked]?
    let held: Bool?
    let tokens: [String: [String]]?
  }

  static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]
  private static func hasModule(_ name: String) -> Bool {
    guard let python else { return false }
    let asked = Process()
    asked.executableURL = URL(filePath: python)
    asked.arguments = ["-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('\(name)') is None)"]
    asked.standardError = FileHandle.nullDevice
    do { try asked.run() } catch { return false }
    asked.waitUntilExit()
    return asked.terminationStatus == 0
  }

  let kind: Kind
  let addresses: Addresses
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private let folder: String
  private var read = Data()

  init(_ kind: Kind) throws {
    self.kind = kind
    var template = Array("/tmp/keyplan-peer-XXXXXX".utf8CString)
    folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    process.executableURL = URL(filePath: try #require(Self.python, "run make setup-test"))
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/account_peer.py").path
    process.arguments = [script, folder] + kind.rawValue.split(separator: " ").map(String.init)
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = try Self.line(from: output.fileHandleForReading, &read)
    addresses = try JSONDecoder().decode(Addresses.self, from: line)
  }

  deinit { stop() }

  /// Ends the server: nobody answers there any more.
  func stop() {
    guard process.isRunning else { return }
    try? input.fileHandleForWriting.close()
    let deadline = Deadline()
    while process.isRunning, !deadline.isOver { usleep(1000) }
    if process.isRunning {
      Issue.record("the peer did not end with its input")
      kill(process.processIdentifier, SIGKILL)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }

  @discardableResult
  func ask(_ words: String...) throws -> Answer {
    try input.fileHandleForWriting.write(contentsOf: Data((words.joined(separator: " ") + "\n").utf8))
    let line = try Self.line(from: output.fileHandleForReading, &read)
    let answer = try JSONDecoder().decode(Answer.self, from: line)
    try #require(answer.error == nil, "\(words): \(answer.error ?? "")")
    return answer
  }

  /// How often the next token was asked for with a refresh token, by the status of the answer.
  func refreshes() throws -> [Int] {
    try ask("log").log?.filter { $0.grant == "refresh_token" }.map(\.status) ?? []
  }

  private static func line(from handle: FileHandle, _ read: inout Data) throws -> Data {
    while true {
      if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
        defer { read = Data(read[(end + 1)...]) }
        return Data(read[..<end])
      }
      var waiting = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      try #require(poll(&waiting, 1, 1_200_000) == 1, "the peer says nothing")
      let more = handle.availableData
      try #require(!more.isEmpty, "the peer has ended")
      read += more
    }
  }
}

/// A project with one account at a peer.
final class AccountProject {
  let peer: AccountPeer
  let sandbox: ProgramSandbox

  /// - Parameter signIn: as the manifest says it. Where nobody needs to, the account is good at once.
  init(_ kind: AccountPeer.Kind, signIn: String = "browser") throws {
    peer = try AccountPeer(kind)
    sandbox = try ProgramSandbox()
    try #require(sandbox.keyplan("init").code == 0)
    try sandbox.write(kind == .signed ? "" : "SECRET=\(peer.addresses.secret)\n", to: ".env")
    if kind == .signed { try sandbox.write(peer.addresses.secret, to: "key.json") }
    let made = try #require(sandbox.content(of: "keyplan.yaml").map { String(decoding: $0, as: UTF8.self) })
    try sandbox.write(made + "\n" + account(signIn), to: "keyplan.yaml")
    let applied = try sandbox.keyplan("apply", "--yes")
    let needsPerson = kind != .password && kind != .signed && signIn != "clientCredentials"
    try #require(applied.code == (needsPerson ? 6 : 0), "\(applied.out)\(applied.err)")
  }

  private func account(_ signIn: String) -> String {
    let (addresses, root) = (peer.addresses, peer.addresses.root)
    guard peer.kind != .password else {
      return """
        calendars:
          work: { service: caldav, account: \(addresses.person), url: \(addresses.upstream), password: dotenv://.env#SECRET }

        """
    }
    if peer.kind == .signed {
      return """
        calendars:
          work:
            service: google
            account: \(addresses.person)
            calendar: Month
            signIn: serviceAccount
            keyFile: file://key.json
            endpoints: { token: \(root)/token, api: \(root)/calendar/v3/ }

        """
    }
    if signIn == "clientCredentials" {
      return """
        calendars:
          work:
            service: outlook
            account: \(addresses.person)
            calendar: Month
            signIn: clientCredentials
            client: { id: \(addresses.robot), secret: dotenv://.env#SECRET, tenant: contoso.com }
            endpoints: { token: \(root)/token, api: \(root)/v1.0 }

        """
    }
    // Glewlwyd knows the other device, which Google does not allow for calendars.
    let isGoogle = peer.kind != .microsoft && signIn != "device"
    let revoke = peer.kind == .microsoft ? "" : ", revoke: \(root)/revoke"
    return """
      calendars:
        work:
          service: \(isGoogle ? "google" : "outlook")
          account: \(addresses.person)
          calendar: Month
          signIn: \(signIn)
          client: { id: \(addresses.client), secret: dotenv://.env#SECRET }
          endpoints:
            { authorize: \(addresses.authorize), token: \(root)/token, device: \(root)/device\(revoke),
              api: \(root)\(isGoogle ? "/calendar/v3/" : "/v1.0") }

      """
  }

  /// Has a person sign in, by the address that the program shows.
  /// - Parameters:
  ///   - lifetime: what the service says of the access token's life, in seconds; its own word without it.
  ///   - way: how the person does it, as the peer calls it.
  ///   - watcher: a program that runs this one.
  @discardableResult
  func signIn(lifetime: Int = 0, _ way: String = "browse", under watcher: [String] = []) throws -> ProgramRun.Answer {
    try peer.ask("lifetime", "\(lifetime)")
    let run = try sandbox.start(watcher + [Shell.program, "calendar", "sign-in", "work"])
    let address = try #require(try line(of: run) { $0.hasPrefix("http") })
    let ended = try peer.ask(way, address)
    #expect(ended.status == 200, "\(ended.page ?? "")")
    let words = way == "decline" ? "See the terminal for the reason." : "return to the terminal"
    #expect(ended.page?.contains(words) == true, "\(ended.page ?? "")")
    let answer = run.wait()
    try peer.ask("lifetime", "0")
    return answer
  }

  /// Waits for a line of what a run tells people.
  func line(of run: ProgramRun, where isIt: (Substring) -> Bool) throws -> String? {
    let deadline = Deadline()
    while true {
      // What is not ended by a newline may not be all of it.
      let lines = run.err.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: isIt) { return String(line) }
      guard run.isRunning, !deadline.isOver else {
        Issue.record("\(run.err)")
        return nil
      }
      usleep(2000)
    }
  }

  func calendar(_ words: String...) throws -> ProgramRun.Answer { try calendar(words) }

  func calendar(_ words: [String]) throws -> ProgramRun.Answer {
    try sandbox.start([Shell.program, "calendar"] + words).wait()
  }
}

extension ProgramRun {
  fileprivate var isRunning: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_signo == 0
  }
}
