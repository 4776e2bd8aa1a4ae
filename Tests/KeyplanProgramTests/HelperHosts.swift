import Foundation
import TestTools
import Testing

/// A server for which a helper has a key, another one for which it has none, and the first without TLS. All of them ask for a credential.
final class HelperHosts {
  let project: HelperProject
  let (own, other, plain): (String, String, String)
  private let server: FixtureServer
  var folder: String { project.sandbox.root + "/server" }
  /// The certificate, which is its own authority.
  var certificate: String { folder + "/cert.pem" }

  static let token = HelperProject.values["token"] ?? ""

  init() throws {
    project = try HelperProject()
    let folder = project.sandbox.root + "/server"
    let script = """
      mkdir -p "$0/served"; cd "$0"
      openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
        -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' 2>/dev/null
      """
    let made = try project.run(["bash", "-ec", script, folder])
    try #require(made.code == 0, "\(made.out)\(made.err)")
    server = try FixtureServer([
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/helper_server.py").path, folder,
      Self.token,
    ])
    let ports = String(decoding: server.greeting, as: UTF8.self).split(separator: " ")
    try #require(ports.count == 3)
    (own, other, plain) = ("localhost:\(ports[0])", "localhost:\(ports[1])", "localhost:\(ports[2])")
  }

  func serve(_ text: String, at path: String) throws { try project.write(text, to: folder + "/served/" + path) }

  func send(elsewhere host: String) throws { try project.write(host, to: folder + "/elsewhere") }

  /// The servers that got the key, by their numbers.
  func told() -> Set<Int> { Set(log().filter { $0.contains(Self.token) }.compactMap { Int($0.prefix(1)) }) }

  func wasAsked(_ server: Int) -> Bool { log().contains { $0.hasPrefix("\(server) ") } }

  private func log() -> [Substring] {
    ((try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "").split(separator: "\n")
  }
}
