import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The ways to sign in that a kubeconfig can have, each held against kubectl where it is installed.
@Suite struct KubernetesSignInTests {
  enum Kind: String, CaseIterable {
    case token, tokenFile, password, certificateData, certificateFiles, program, programWithCertificate, impersonation

    func user(_ fake: FakeCluster, _ world: RemoteWorld) throws -> String {
      let folder = fake.server.folder
      switch self {
      case .token: return "{ token: good }"
      case .tokenFile:
        try world.home.write("good\n", to: "token")
        // Relative to the kubeconfig's folder.
        return "{ tokenFile: token }"
      case .password: return "{ username: ada, password: hidden }"
      case .certificateData:
        return
          "{ client-certificate-data: \(try fake.server.base64("client.pem")), client-key-data: \(try fake.server.base64("client.key")) }"
      case .certificateFiles:
        return "{ client-certificate: '\(folder["client.pem"])', client-key: '\(folder["client.key"])' }"
      case .program:
        return Self.program(#"{"token":"'$GIVEN'","expirationTimestamp":"2100-01-01T00:00:00Z"}"#, world)
      case .programWithCertificate:
        let certificate = try folder.text("client.pem").replacing("\n", with: #"\n"#)
        let key = try folder.text("client.key").replacing("\n", with: #"\n"#)
        return Self.program(#"{"clientCertificateData":"\#(certificate)","clientKeyData":"\#(key)"}"#, world)
      case .impersonation: return "{ token: good, as: someone }"
      }
    }

    static func program(_ status: String, _ world: RemoteWorld, version: String = "v1") -> String {
      let answer =
        #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/\#(version)","status":\#(status)}"#
      _ = try? world.home.write("#!/bin/sh\nprintf '%s' '\(answer)'\n", to: "sign-in", mode: 0o700)
      return "{ exec: { apiVersion: client.authentication.k8s.io/\(version), command: ./sign-in, args: [get-token], "
        + "env: [{ name: GIVEN, value: good }], interactiveMode: Never } }"
    }

    var name: String {
      switch self {
      case .certificateData, .certificateFiles, .programWithCertificate: "certificate ada"
      case .password: "ada"
      case .token, .tokenFile, .program, .impersonation: "ci-bot"
      }
    }
  }

  @Test("each way to sign in works", arguments: Kind.allCases)
  func each(kind: Kind) async throws {
    let fake = try FakeCluster()
    var world = try RemoteWorld()
    world.variables["KUBECONFIG"] = try world.home.write(
      try fake.kubeconfig(try kind.user(fake, world)), to: "config")
    #expect(try await world.cluster().write(["claude": "sk-1"]) == ["claude": .done])
    #expect(try await world.read("shop/api-keys#claude") == [.value("sk-1")])
    #expect(await (try world.kubernetes()).signedInAs() == .known(kind.name))
    let seen = try await fake.seen()
    #expect(seen.allSatisfy { $0.user == kind.name && $0.as == (kind == .impersonation ? "someone" : "") })
    guard Peer.path("kubectl") != nil else { return }
    let answer = try world.kubectl("get", "secret", "api-keys", "-o", "jsonpath={.data.claude}")
    #expect(answer.text == Data("sk-1".utf8).base64EncodedString())
    #expect(try await fake.seen().allSatisfy { $0.user == kind.name })
  }

  @Test("a program gets what Kubernetes describes, and the variables of its vendor")
  func program() async throws {
    let fake = try FakeCluster()
    var world = try RemoteWorld()
    world.variables["AWS_PROFILE"] = "work"
    world.variables["OTHER"] = "hidden"
    world.variables["HTTPS_PROXY"] = "http://proxy:3128"
    try world.home.folder("bin")
    try world.home.write(
      "#!/bin/sh\nprintf '%s' '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\",\"status\":{\"token\":\"good\"}}'\n",
      to: "bin/aws", mode: 0o700)
    let user =
      "{ exec: { apiVersion: client.authentication.k8s.io/v1beta1, command: bin/aws, args: [eks, get-token], "
      + "provideClusterInfo: true, env: [{ name: AWS_REGION, value: eu }] } }"
    world.variables["KUBECONFIG"] = try world.home.write(try fake.kubeconfig(user), to: "config")
    #expect(try await world.read("shop/api-keys#claude", "shop/other#x") == [.missing, .missing])
    let call = try #require(world.started.calls.first)
    #expect(world.started.calls.count == 1)
    #expect(call.arguments == [world.home["bin/aws"], "eks", "get-token"])
    #expect(call.variables["AWS_PROFILE"] == "work" && call.variables["AWS_REGION"] == "eu")
    #expect(call.variables["OTHER"] == nil && call.variables["HTTPS_PROXY"] == "http://proxy:3128")
    let info = try #require(
      try JSONSerialization.jsonObject(with: Data((call.variables["KUBERNETES_EXEC_INFO"] ?? "").utf8))
        as? [String: Any])
    let spec = try #require(info["spec"] as? [String: Any])
    #expect(info["apiVersion"] as? String == "client.authentication.k8s.io/v1beta1")
    #expect(spec["interactive"] as? Bool == false)
    let cluster = try #require(spec["cluster"] as? [String: String])
    #expect(cluster["server"]?.hasSuffix(fake.path) == true)
    #expect(cluster["certificate-authority-data"] == (try fake.server.base64("authority.pem")))
    // The same certificates in a file.
    let data = "certificate-authority-data: \(try fake.server.base64("authority.pem"))"
    world.variables["KUBECONFIG"] = try world.home.write(
      try fake.kubeconfig(user).replacing(
        data, with: "certificate-authority: '\(fake.server.folder["authority.pem"])'"), to: "other")
    #expect(try await world.read("shop/api-keys#claude") == [.missing])
    let other = try #require(world.started.calls.last).variables["KUBERNETES_EXEC_INFO"]
    // Read from a file, they have no line feed at their end.
    let text = try #require(call.variables["KUBERNETES_EXEC_INFO"])
    let trimmed = text.replacing(try fake.server.base64("authority.pem"), with: try Self.trimmed(fake))
    #expect(trimmed != text && other == trimmed)
  }

  private static func trimmed(_ fake: FakeCluster) throws -> String {
    let text = try String(contentsOfFile: fake.server.folder["authority.pem"], encoding: .utf8)
    return Data(text.trimmingCharacters(in: .newlines).utf8).base64EncodedString()
  }

  @Test("a token that is replaced in its file, or by its program, is fetched again once when it is rejected")
  func renewed() async throws {
    let fake = try FakeCluster()
    var world = try RemoteWorld()
    try world.home.write("old", to: "token")
    world.variables["KUBECONFIG"] = try world.home.write(try fake.kubeconfig("{ tokenFile: token }"), to: "config")
    let run = try world.cluster()
    #expect(await run.failure("a")?.kind == .unauthenticated)
    #expect(try await fake.seen().count == 2)
    try world.home.write("good", to: "token")
    #expect(await run.values("a") == [:])
  }

  @Test(
    "what is not safe or not supported is refused before anything is sent",
    arguments: [
      ("{ token: good }", "insecure-skip-tls-verify: true", "insecure-skip-tls-verify"),
      ("{ auth-provider: { name: gcp } }", "", "auth-provider"),
      ("{ auth-provider: { name: oidc } }", "", "an auth-provider, which is not supported"),
      ("{ token: good, as-user-extra: { a: [b] } }", "", "as-user-extra"),
      ("{ client-certificate-data: '!' }", "", "Base64"), ("{ client-certificate-data: AAAA }", "", "no client key"),
      ("{ tokenFile: /nonexistent/token }", "", "/nonexistent/token"),
      ("{ exec: { command: x, apiVersion: client.authentication.k8s.io/v1alpha1 } }", "", "v1beta1"),
      (
        "{ exec: { command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always } }", "", "terminal"
      ),
      ("{ exec: { apiVersion: client.authentication.k8s.io/v1 } }", "", "no command"),
      ("{ exec: { command: 'false', apiVersion: client.authentication.k8s.io/v1 } }", "", "exit code 1"),
      ("{ exec: { command: 'true', apiVersion: client.authentication.k8s.io/v1 } }", "", "ExecCredential"),
      ("{ token: good }", "proxy-url: 'socks5://127.0.0.1:1'", "proxy-url"),
    ])
  func refused(user: String, cluster: String, reason: String) async throws {
    let fake = try FakeCluster()
    let failure = try #require(await (try fake.world(user, cluster: cluster).cluster()).failure("a"))
    #expect(failure.kind == .unauthenticated || failure.kind == .unreadable)
    #expect(failure.reason.contains(reason), "\(failure.reason)")
    #expect(try await fake.seen() == [])
  }

  @Test("a server is trusted by the authority and the name of the kubeconfig only")
  func trust() async throws {
    let fake = try FakeCluster()
    var world = try RemoteWorld()
    let whole = try fake.kubeconfig("{ token: good }")
    func run(_ config: String) async throws -> AccessFailure? {
      world.variables["KUBECONFIG"] = try world.home.write(config, to: "config")
      return try await world.cluster().failure("a")
    }
    #expect(try await run(whole) == nil)
    let otherName = whole.replacing("tls-server-name: cluster.internal", with: "")
    #expect(try await run(otherName)?.reason.contains("certificate is for another name") == true)
    let otherAuthority = whole.replacing(
      try fake.server.base64("authority.pem"), with: try fake.server.base64("client.pem"))
    #expect(try await run(otherAuthority)?.reason.contains("trusted authority") == true)
    let file = whole.replacing(
      "certificate-authority-data: \(try fake.server.base64("authority.pem"))",
      with: "certificate-authority: '\(fake.server.folder["authority.pem"])'")
    #expect(try await run(file) == nil)
    let plain = whole.replacing("https://127.0.0.1", with: "http://10.0.0.1")
    #expect(try await run(plain)?.reason.contains("clear text") == true)
  }

  @Test("files are merged as kubectl does, and the current context is not used unless it is the only one")
  func merged() async throws {
    let fake = try FakeCluster()
    var world = try RemoteWorld()
    let first = """
      current-context: prod
      contexts: [{ name: prod, context: { cluster: main, user: ci } }, { name: other, context: { cluster: x, user: x } }]
      users: [{ name: ci, user: { token: good } }]
      """
    let second = try fake.kubeconfig("{ token: wrong }")
    let paths = [
      try world.home.write(first, to: "first"), world.home["missing"], try world.home.write(second, to: "second"),
    ]
    world.variables["KUBECONFIG"] = paths.joined(separator: ":")
    #expect(try await world.cluster().values("a") == [:])
    let several = try #require(await (try world.cluster(context: nil)).failure("a"))
    #expect(several.kind == .unauthenticated && several.hint?.contains("other, prod") == true)
    #expect(await (try world.kubernetes()).signedInAs() == .notAsked)
    #expect(await (try world.kubernetes(["context": .text("prod")])).signedInAs() == .known("ci-bot"))
    let missing = try #require(await (try world.cluster(context: "staging")).failure("a"))
    #expect(missing.reason.contains("no context \"staging\""))
    let broken = try #require(await (try world.cluster(context: "other")).failure("a"))
    #expect(broken.reason.contains("cluster"))
    world.variables["KUBECONFIG"] = "first"
    #expect(await (try world.cluster()).failure("a")?.reason.contains("absolute") == true)
    // The usual place, and one context.
    world.variables["KUBECONFIG"] = nil
    try world.home.folder(".kube")
    try world.home.write(try fake.kubeconfig("{ token: good }"), to: ".kube/config")
    #expect(try await world.cluster(context: nil).values("a") == [:])
    try world.home.write("not: [a kubeconfig", to: ".kube/config")
    #expect(await (try world.cluster()).failure("a")?.reason.contains("not a valid kubeconfig") == true)
    let empty = try RemoteWorld()
    #expect(await (try empty.cluster(context: nil)).failure("a")?.kind == .unauthenticated)
  }

  @Test("a declared server is used with its token, and with no context")
  func declared() async throws {
    let fake = try FakeCluster()
    var world = try RemoteWorld()
    world.variables["CLUSTER_TOKEN"] = "good"
    let token = Connection.Value.secret(Reference(scheme: "env", location: "CLUSTER_TOKEN", isLocal: true))
    let server = Connection.Value.text(fake.server.plain + fake.path)
    let values = ["server": server, "token": token]
    #expect(try await world.read("shop/api-keys#a", values: values) == [.missing])
    #expect(try await fake.seen().map(\.user) == ["ci-bot"])
    #expect(try await world.read("shop/api-keys#a", values: ["server": server]) == [.failed(.unauthenticated)])
    #expect(try await world.read("shop/api-keys#a", values: ["token": token]) == [.failed(.unauthenticated)])
    let both = values.merging(["context": .text("prod")]) { $1 }
    #expect(try await world.read("shop/api-keys#a", values: both) == [.failed(.unreadable)])
  }

  /// What is sent from a pod, whose files are given.
  @Test("in a pod, the cluster is that of the pod, and its token is read again when it is rejected")
  func pod() async throws {
    let folder = "/var/run/secrets/kubernetes.io/serviceaccount"
    let sent = Mutex<[(address: String, token: String, authorities: SecretBox?)]>([])
    let files = Mutex(["\(folder)/ca.crt": "PEM", "\(folder)/token": "old"])
    let environment = RemoteEnvironment(
      variables: ["KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"], home: "/home/none",
      folder: "/", http: HTTPSettings(),
      transport: { settings in
        RemoteTransport(
          send: { (request) async throws(HTTPError) in
            let token = request.headers.first { $0.name == "Authorization" }.map { header in
              if case .secret(let secret, _) = header.value { secret.text } else { "" }
            }
            sent.withLock { $0.append((request.address.text, token ?? "", settings.authorityData)) }
            files.withLock { $0["\(folder)/token"] = "new" }
            return HTTPResponse(
              status: token == "new" ? 404 : 401,
              body: SecretBox(
                Array(#"{"kind":"Status","reason":"NotFound","details":{"kind":"secrets"}}"#.utf8)))
          }, pause: { _ in }, now: { 0 })
      },
      read: { reference in
        files.withLock { $0[reference.location] }.map { .value(SecretBox(Array($0.utf8))) } ?? .missing()
      },
      programs: TestPrograms(started: RemoteWorld.Started()))
    let name = try #require(Identifier<Connection>("kubernetes"))
    let backend = KubernetesBackend(
      ConnectionContext(
        Connection(name, to: KubernetesBackend.backend), to: KubernetesBackend.backend, in: environment))
    let reference = Reference(scheme: "kubernetes", location: "shop/api-keys", selector: "a", isLocal: false)
    guard case .missing? = await backend.source?.read([reference]).first else {
      Issue.record("not missing")
      return
    }
    let all = sent.withLock { $0 }
    #expect(all.map(\.token) == ["old", "new"])
    #expect(all.allSatisfy { $0.authorities?.withBytes { Array($0) } == Array("PEM".utf8) })
    #expect(all[0].address == "https://[fd00::1]:443/api/v1/namespaces/shop/secrets/api-keys")
  }
}
