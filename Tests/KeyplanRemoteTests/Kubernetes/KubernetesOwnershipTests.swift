import Foundation
import KeyplanModel
import KeyplanPorts
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Who owns which key, as the API server records it. The fake is held against kubectl, whose requests it answers.
@Suite(
  .enabled(if: Peer.path("kubectl") != nil, "SKIPPED: kubectl is not installed; run scripts/setup-judges.sh"))
struct KubernetesOwnershipTests {
  private let fake: FakeCluster
  private let world: RemoteWorld

  init() throws {
    fake = try FakeCluster()
    world = try fake.world()
  }

  private func apply(_ data: [String: String], manager: String = "kubectl", _ more: String...) throws -> String {
    let fields = data.sorted { $0.key < $1.key }
      .map { "\($0.key): \(Data($0.value.utf8).base64EncodedString())" }.joined(separator: ", ")
    let path = try world.home.write(
      "{ apiVersion: v1, kind: Secret, metadata: { name: api-keys }, data: { \(fields) } }", to: "secret.yaml")
    let words = ["apply", "--server-side", "--validate=false", "--field-manager", manager, "-f", path]
    return try world.kubectl(words + more).text
  }

  private func data() throws -> [String: String] {
    let answer = try world.kubectl("get", "secret", "api-keys", "-o", "json")
    let json = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
    return (json?["data"] as? [String: String] ?? [:]).mapValues {
      String(decoding: Data(base64Encoded: $0) ?? Data(), as: UTF8.self)
    }
  }

  @Test("kubectl reads what is written, and keys of others stay")
  func together() async throws {
    let path = try world.home.write(
      "{ apiVersion: v1, kind: Secret, metadata: { name: api-keys }, data: { theirs: MQ== } }", to: "secret.yaml")
    let created = try world.kubectl("create", "--validate=false", "-f", path)
    #expect(created.status == 0, "\(created.text)")
    #expect(try await world.cluster().write(["claude": "sk-1", "tls.crt": "pem"]).values.allSatisfy { $0 == .done })
    #expect(try data() == ["theirs": "1", "claude": "sk-1", "tls.crt": "pem"])
    #expect(try await world.cluster().write(["claude": "sk-2"]) == ["claude": .done])
    #expect(try data() == ["theirs": "1", "claude": "sk-2", "tls.crt": "pem"])
    #expect(try await world.cluster().write([:], removing: ["claude", "tls.crt"]).values.allSatisfy { $0 == .done })
    // The secret is another's, so it stays, and it never got the label.
    #expect(try data() == ["theirs": "1"])
    #expect(try !world.kubectl("get", "secret", "api-keys", "-o", "json").text.contains("managed-by"))
  }

  @Test("a secret that was created by keyplan is deleted when nothing is left in it")
  func deleted() async throws {
    #expect(try await world.cluster().write(["claude": "sk-1", "other": "2"]).values.allSatisfy { $0 == .done })
    #expect(try world.kubectl("get", "secret", "api-keys", "-o", "json").text.contains("managed-by"))
    #expect(try await world.cluster().write([:], removing: ["claude"]) == ["claude": .done])
    #expect(try data() == ["other": "2"])
    #expect(try await world.cluster().write([:], removing: ["other", "never"]).values.allSatisfy { $0 == .done })
    #expect(try world.kubectl("get", "secret", "api-keys").text.contains("NotFound"))
    // With a key of kubectl's in it, it stays.
    #expect(try await world.cluster().write(["claude": "sk-1"]) == ["claude": .done])
    #expect(try apply(["theirs": "1"]).contains("serverside-applied"))
    #expect(try await world.cluster().write([:], removing: ["claude"]) == ["claude": .done])
    #expect(try data() == ["theirs": "1"])
  }

  @Test("a key of another manager is refused with its name, unless the plan takes it over; kubectl is then refused")
  func conflict() async throws {
    #expect(try apply(["claude": "theirs"], manager: "helm").contains("serverside-applied"))
    guard case .success(let results) = await (try world.cluster()).results(["claude": "ours", "new": "1"]),
      case .refused(let failure) = results["claude"]
    else {
      Issue.record("the key was not refused")
      return
    }
    #expect(failure.reason == "This key is owned by the field manager helm.")
    #expect(failure.hint?.contains("takeOver: true") == true)
    #expect(results["new"] == .done())
    #expect(try data() == ["claude": "theirs", "new": "1"])
    #expect(try await world.cluster().write(["claude": "ours"], takingOver: ["claude"]) == ["claude": .done])
    #expect(try data()["claude"] == "ours")
    #expect(try apply(["claude": "theirs"], manager: "helm").contains("conflict with \"keyplan\""))
    #expect(try apply(["claude": "theirs"], manager: "helm", "--force-conflicts").contains("serverside-applied"))
    #expect(try await world.cluster().values("claude") == ["claude": "theirs"])
    // It is no longer keyplan's, and cannot be removed by leaving it out.
    #expect(try await world.cluster().write([:], removing: ["claude"]) == ["claude": .refused(.denied)])
    #expect(try data()["claude"] == "theirs")
  }

  @Test("a key that two managers set to the same value stays when one of them leaves it out")
  func shared() async throws {
    #expect(try await world.cluster().write(["claude": "same"]) == ["claude": .done])
    #expect(try apply(["claude": "same"], manager: "helm").contains("serverside-applied"))
    #expect(try await world.cluster().write([:], removing: ["claude"]) == ["claude": .refused(.denied)])
    #expect(try data() == ["claude": "same"])
  }

  @Test("what kubectl changed is seen, and restored only if the plan takes it over")
  func edited() async throws {
    #expect(try await world.cluster().write(["claude": "ours"]) == ["claude": .done])
    let patch = "{\"data\":{\"claude\":\"\(Data("theirs".utf8).base64EncodedString())\"}}"
    let answer = try world.kubectl("patch", "secret", "api-keys", "--type=merge", "-p", patch)
    #expect(answer.status == 0, "\(answer.text)")
    #expect(try await world.cluster().values("claude") == ["claude": "theirs"])
    #expect(try await world.cluster().write(["claude": "ours"]) == ["claude": .refused(.denied)])
    #expect(try await world.cluster().write(["claude": "ours"], takingOver: ["claude"]) == ["claude": .done])
    #expect(try data() == ["claude": "ours"])
  }
}
