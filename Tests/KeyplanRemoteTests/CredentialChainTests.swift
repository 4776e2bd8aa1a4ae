import Synchronization
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("The chain of credentials") struct CredentialChainTests {
  private final class Asked: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var list: [String] { names.withLock { $0 } }
  }

  private static func chain(
    _ findings: [(String, CredentialChain<Int>.Finding)], _ asked: Asked
  ) -> CredentialChain<Int> {
    CredentialChain(
      steps: findings.map { name, finding in
        .init(name) {
          asked.add(name)
          return finding
        }
      }, hint: "Sign in.")
  }

  @Test("the first step that has a credential ends the search")
  func found() async throws {
    let asked = Asked()
    let chain = Self.chain([("one", .absent), ("two", .found(2)), ("three", .found(3))], asked)
    let (step, credential) = try await chain.credential()
    #expect(step == "two" && credential == 2)
    #expect(asked.list == ["one", "two"])
  }

  @Test(
    "a step that is configured and does not work ends the search with its name: no other credential takes its place")
  func failed() async {
    let asked = Asked()
    let failure = RemoteFailure(.unreachable, "It is down.", hint: "Start it.")
    let chain = Self.chain([("one", .absent), ("two", .failed(failure)), ("three", .found(3))], asked)
    do throws(RemoteFailure) {
      _ = try await chain.credential()
      Issue.record("found")
    } catch {
      #expect(error.reason == "two: It is down." && error.hint == "Start it." && error.answer == .unreachable)
    }
    #expect(asked.list == ["one", "two"])
  }

  @Test("if no step is configured, the failure lists them all")
  func absent() async {
    let chain = Self.chain([("one", .absent), ("two", .absent)], Asked())
    do throws(RemoteFailure) {
      _ = try await chain.credential()
      Issue.record("found")
    } catch {
      #expect(error.reason == "No credential was found. Searched: one, two.")
      #expect(error.answer == .unauthenticated && error.hint == "Sign in.")
    }
  }
}
