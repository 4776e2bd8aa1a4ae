import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanLocal

@Suite(
  "The keyring of the desktop, against a real GNOME Keyring",
  .enabled(if: KeyringServer.isHere, "\(KeyringServer.missing)"))
struct SecretServiceTests {
  private func item(_ service: String, _ username: String? = nil) -> Reference {
    Reference(
      scheme: "secret-service", location: service, selector: username, isLocal: true,
      surface: ExternalAccess(.path, "secret-service://\(service)"))
  }

  private func place(_ service: String) -> Destination {
    Destination(
      type: "secret-service", location: service, surface: ExternalAccess(.path, "secret-service://\(service)"))
  }

  @Test("the contract of sources, with items of secret-tool and of Python's keyring")
  func sourceContract() async throws {
    let server = try KeyringServer()
    try server.store("eins", "service my-app username ada")
    try server.store("zwei\nlines", "service my-app username 'zo é' other attribute")
    try server.store("drei", "service single")
    try server.store("a", "service twice username ada kind 1")
    try server.store("b", "service twice username ada kind 2")
    var present = [
      (item("my-app", "ada"), "eins"), (item("my-app", "zo é"), "zwei\nlines"), (item("single"), "drei"),
    ]
    if KeyringServer.python != nil {
      try #require(try server.python("import keyring; keyring.set_password('py', 'ada', 'vier ü')").status == 0)
      present.append((item("py", "ada"), "vier ü"))
    }
    let contract = SourceContract(
      server.source, present: present, missing: [item("my-app", "bob"), item("none"), item("single", "ada")],
      unreadable: [item("twice", "ada"), item("twice"), item("my-app")])
    let violations = await contract.violations()
    #expect(violations == [])
    #expect(await server.source.tell(item("twice")) == .unreadable("2 items have these attributes."))
  }

  @Test("the contract of targets")
  func targetContract() async throws {
    let server = try KeyringServer()
    try server.store("b", "service other username ONE")
    let violations = await TargetContract(server.target, at: place("my-app")).violations()
    #expect(violations == [])
    #expect(await server.source.tell(item("other", "ONE")) == .value("b"))
  }

  @Test("the contract of removal")
  func removalContract() async throws {
    let server = try KeyringServer()
    try server.store("eins", "service my-app username a")
    try server.store("zwei", "service my-app username b")
    let contract = RemovalContract(
      server.source, present: [(item("my-app", "a"), "eins"), (item("my-app", "b"), "zwei")],
      missing: item("my-app", "c"))
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("secret-tool and Python's keyring read what a target writes, and replace it")
  func others() async throws {
    let server = try KeyringServer()
    let canary = "canary ü \"x\" 1"
    let changes = TargetChanges(set: [("claude", SecretBox(Array(canary.utf8)))], remove: [])
    #expect(try await server.target.write(changes, at: place("my-app")) == ["claude": .done()])
    #expect(try server.run("secret-tool lookup service my-app username claude").text == canary)
    try server.store("from secret-tool", "service my-app username claude")
    #expect(await server.source.tell(item("my-app", "claude")) == .value("from secret-tool"))
    try #require(
      KeyringServer.python != nil, "SecretStorage is missing: run make setup-test, and set KEYPLAN_TEST_PYTHON")
    #expect(
      try server.python("import keyring; print(keyring.get_password('my-app', 'claude'))").text == "from secret-tool\n")
    // An item of another program keeps its label and attributes.
    _ = try server.python("import keyring; keyring.set_password('py', 'ada', 'before')")
    let after = TargetChanges(set: [("ada", SecretBox(Array("after".utf8)))], remove: [])
    #expect(try await server.target.write(after, at: place("py")) == ["ada": .done()])
    let shown = try server.python(
      """
      import secretstorage
      bus = secretstorage.dbus_init()
      for item in secretstorage.search_items(bus, {'service': 'py'}):
        print(item.get_label(), item.get_secret().decode(), item.get_attributes()['application'])
      """)
    #expect(shown.text == "Password for 'ada' on 'py' after Python keyring library\n")
  }

  @Test("a locked keyring is sealed, for items that it has and for those that it may have")
  func locked() async throws {
    let server = try KeyringServer()
    try server.store("eins", "service my-app username ada")
    try server.lock()
    #expect(
      await server.source.tell([item("my-app", "ada"), item("my-app", "bob")]) == [
        .failed(.sealed, "The item is in a locked keyring."),
        .failed(.sealed, "The item was not found, but a keyring is locked and can contain it."),
      ])
    guard case .failed(let failure) = await server.target.read(["ada"], at: place("my-app")) else {
      Issue.record("it is read")
      return
    }
    #expect(failure.kind == .sealed && failure.reason == "ada: The item is in a locked keyring.")
    let changes = TargetChanges(
      set: [("ada", SecretBox([65])), ("new", SecretBox([66]))], remove: ["bob"])
    let results = try await server.target.write(changes, at: place("my-app"))
    for name in ["ada", "new", "bob"] {
      guard case .refused(let failure) = results[name], failure.kind == .sealed else {
        Issue.record("\(name): \(String(describing: results[name]))")
        continue
      }
    }
    await #expect(throws: AccessFailure.self) {
      try await server.source.remove(item("my-app", "ada"), holding: SecretBox(Array("eins".utf8)))
    }
  }

  @Test("names whose value is not known are not overwritten: two items of one name are refused")
  func duplicates() async throws {
    let server = try KeyringServer()
    try server.store("a", "service my-app username ada kind 1")
    try server.store("b", "service my-app username ada kind 2")
    let changes = TargetChanges(set: [("ada", SecretBox([65]))], remove: [])
    let results = try await server.target.write(changes, at: place("my-app"))
    #expect(
      results == [
        "ada": .refused(
          AccessFailure(.unreadable, "2 items have these attributes.", hint: "Remove all but one of them."))
      ])
    guard case .failed(let failure) = await server.target.read(["ada"], at: place("my-app")) else {
      Issue.record("it is read")
      return
    }
    #expect(failure.kind == .unreadable)
    try server.store("c", "service my-app username bob")
    guard case .values(let values) = await server.target.read(["ada", "bob"], at: place("my-app")),
      case .failed? = values["ada"], case .text? = values["bob"]
    else {
      Issue.record("one name holds back the other")
      return
    }
  }

  @Test("without a keyring, without a program and without a bus nothing is known")
  func absent() async throws {
    let empty = try KeyringServer(.empty)
    #expect(
      await empty.source.tell(item("my-app", "ada"))
        == .unreachable("The Secret Service has no default keyring."))
    let changes = TargetChanges(set: [("ada", SecretBox([65]))], remove: [])
    let results = try await empty.target.write(changes, at: place("my-app"))
    guard case .refused(let failure) = results["ada"], failure.kind == .unreachable else {
      Issue.record("\(results)")
      return
    }
    let none = try KeyringServer(.none)
    #expect(
      await none.source.tell(item("my-app", "ada"))
        == .unreachable("No program on the session bus provides the Secret Service."))
    for variables in [[:], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"], ["XDG_RUNTIME_DIR": "/nowhere"]] {
      let source = SecretServiceSource(SourceContext(variables: variables, folder: "/", home: nil))
      #expect(
        await source.tell(item("my-app"))
          == .unreachable("There is no D-Bus session bus to find the keyring's program on."))
    }
  }

  @Test("secrets are sent over a socket of this machine only, and no address starts a program")
  func addresses() async throws {
    let scratch = try Scratch()
    for address in ["tcp:host=127.0.0.1,port=9", "unixexec:path=\(scratch["ran"])", "unix:path=/x;tcp:host=a,port=1"] {
      let source = SecretServiceSource(
        SourceContext(variables: ["DBUS_SESSION_BUS_ADDRESS": address], folder: "/", home: nil))
      #expect(
        await source.tell(item("my-app"))
          == .unreachable("DBUS_SESSION_BUS_ADDRESS is not the address of a unix: socket."))
    }
  }

  @Test("the bus of the session is found in XDG_RUNTIME_DIR")
  func runtimeFolder() async throws {
    let server = try KeyringServer(.none)
    let source = SecretServiceSource(
      SourceContext(variables: ["XDG_RUNTIME_DIR": server.scratch["run"]], folder: "/", home: nil))
    #expect(
      await source.tell(item("my-app", "ada"))
        == .unreachable("No program on the session bus provides the Secret Service."))
  }

  @Test("neither a silent bus nor a silent program is waited for without end")
  func silence() throws {
    let scratch = try Scratch()
    let listener = try Listener(scratch["bus"])
    _ = withExtendedLifetime(listener) {
      #expect(throws: SessionBus.Failure.self) { _ = try SessionBus(at: "unix:path=\(scratch["bus"])", limit: 100_000) }
    }
    let server = try KeyringServer()
    let program = try server.processId()
    kill(program, SIGSTOP)
    defer { kill(program, SIGKILL) }
    do throws(SessionBus.Failure) {
      _ = try SecretService(try SessionBus(at: server.address, limit: 100_000))
      Issue.record("it answered")
    } catch {
      #expect(AccessFailure(error).reason == "The keyring's program did not answer within 10 seconds.")
      #expect(!error.isRefusal)
    }
  }

  @Test("what is not the name of a library is not loaded, and says so")
  func library() {
    #expect(SystemdLibrary.load("libnowhere.so")?.contains("libnowhere.so") == true)
  }
}

/// A socket that accepts connections and never answers.
private final class Listener {
  private let socket: Int32

  init(_ path: String) throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0 && listen(socket, 4) == 0)
  }

  deinit { close(socket) }
}

extension KeyringServer {
  fileprivate var source: SecretServiceSource {
    SecretServiceSource(SourceContext(variables: variables, folder: scratch.path, home: nil))
  }

  fileprivate var target: SecretServiceTarget {
    SecretServiceTarget(TargetContext(folder: scratch.path, home: nil, variables: variables))
  }
}
