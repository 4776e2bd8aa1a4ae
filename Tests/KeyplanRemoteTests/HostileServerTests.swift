import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Every backend, used as its page shows, at a server that wants to harm. A backend that is added is tested without a line here.
@Suite("A hostile server")
struct HostileServerTests {
  private static let value = "canary-of-the-value"

  private static func use(_ name: String, _ deed: HostileServer.Deed) throws -> (BackendUse, HostileServer.Sent) {
    let server = try HostileServer.shared.get()
    let sent = HostileServer.Sent()
    let use = try BackendUse(name, token: "canary-of-the-credential") { settings in
      // A backend that cannot be given a transport fails in the assertions below.
      (try? server.transport(settings, deed, sent)) ?? RemoteTransport(settings) { 0 }
    }
    return (use, sent)
  }

  private func check(_ failure: AccessFailure, _ what: String) {
    let words = "\(failure.reason) \(failure.hint ?? "")"
    #expect(!words.contains("canary") && !words.contains("evil"), "\(what): \(words)")
    #expect(!words.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(what): \(words)")
  }

  @Test(
    "gains nothing: no value is taken for one, none is thought missing, nothing seems written, nothing is followed or shown",
    arguments: RemoteBackends.names, HostileServer.Deed.allCases)
  func harmless(name: String, deed: HostileServer.Deed) async throws {
    let (reading, readingSent) = try Self.use(name, deed)
    if let source = reading.backend.source, let reference = reading.reference {
      let answer = await source.read([reference]).first
      if case .failed(let failure)? = answer {
        check(failure, "reading")
      } else {
        Issue.record("read \(answer.map { "\($0)" } ?? "nothing")")
      }
      #expect(readingSent.count > 0, "nothing was sent: \(answer.map { "\($0)" } ?? "")")
    }
    if let destination = reading.destination {
      let (looking, lookingSent) = try Self.use(name, deed)
      let target = try #require(looking.backend.target)
      let sight = await target.look(TargetQuestion(names: [looking.name]), at: destination)
      if case .failed(let failure) = sight.answer {
        check(failure, "looking")
      } else {
        Issue.record("saw \(sight.answer)")
      }
      let (writing, writingSent) = try Self.use(name, deed)
      let writer = try #require(writing.backend.target)
      let changes = TargetChanges(set: [(writing.name, SecretBox(Array(Self.value.utf8)))], remove: [])
      do throws(AccessFailure) {
        for (_, result) in try await writer.write(changes, at: destination) {
          switch result {
          case .done: Issue.record("seems to be written")
          case .refused(let failure): check(failure, "writing")
          case .unknown(let reason): check(AccessFailure(.unreadable, reason), "writing")
          case .stale: break
          }
        }
      } catch {
        check(error, "writing")
      }
      #expect(lookingSent.count > 0 && writingSent.count > 0, "nothing was sent")
      for address in lookingSent.addresses + writingSent.addresses { #expect(!address.contains("canary")) }
    }
    let (asking, askingSent) = try Self.use(name, deed)
    switch await asking.backend.signedInAs() {
    case .failed(let failure): check(failure, "signing in")
    case .notAsked: break
    case .known(let who): Issue.record("signed in as \(who)")
    case .unnamed, .found: Issue.record("signed in")
    }
    for address in readingSent.addresses + askingSent.addresses { #expect(!address.contains("canary"), "\(address)") }
    #expect(try await HostileServer.shared.get().trapped() == [])
  }
}
