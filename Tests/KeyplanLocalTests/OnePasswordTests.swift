import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanLocal

/// The real `op` is not available to tests: a fake with the messages of op 2 takes its place.
@Suite("Fields of 1Password, against a fake of its program")
struct OnePasswordTests {
  private let scratch: Scratch
  private let programs: Scratch
  private let variables: [String: String]

  private static let fake = """
    #!/usr/bin/python3
    import json, os, re, sys
    root = os.path.dirname(os.path.abspath(__file__))
    with open(root + "/calls", "a") as calls:
      calls.write(json.dumps([sys.argv[1:], sorted(k for k in os.environ if k.startswith(("OP_", "AWS")))]) + "\\n")
    if os.path.exists(root + "/fault"):
      sys.exit("[ERROR] 2026/11/23 12:00:00 " + open(root + "/fault").read())
    store = json.load(open(root + "/store"))
    def value(name):
      vault, item = name.split("/")[:2]
      items = {k.split("/")[1] for k in store if k.split("/")[0] == vault}
      what = f"could not read secret 'op://{name}': "
      if not items: sys.exit(f'[ERROR] {what}"{vault}" isn\\'t a vault in this account.')
      if item not in items: sys.exit(f'[ERROR] {what}"{item}" isn\\'t an item in the "{vault}" vault.')
      if name not in store: sys.exit(f"[ERROR] {what}item '{vault}/{item}' does not have a field '{name}'")
      return store[name]
    if sys.argv[1:] == ["inject"]:
      sys.stdout.write(re.sub(r"{{ op://(.*?) }}", lambda m: value(m.group(1)), sys.stdin.read()) + "\\n")
    elif sys.argv[1:3] == ["read", "-n"]:
      sys.stdout.write(value(sys.argv[3].removeprefix("op://")))
    else: sys.exit("unknown command")
    """

  init() throws {
    (scratch, programs) = (try Scratch(), try Scratch())
    try programs.write(Self.fake, to: "op", mode: 0o700)
    try programs.write(
      #"{"dev/mail/password": "eins", "dev/mail/user": "zwei\nlines\n", "dev/my key/a b/c_d": "{{ op://dev/mail/user }} ü", "dev/mail/otp?attribute=otp": "123456", "dev/ssh/private key?ssh-format=openssh": "PEM", "dev/empty/x": ""}"#,
      to: "store")
    variables = [
      "PATH": programs.path + ":/usr/bin:/bin", "OP_SERVICE_ACCOUNT_TOKEN": "canary-token", "OP_SESSION_x": "s",
      "OP_OTHER": "1", "AWS_SECRET_ACCESS_KEY": "x",
    ]
  }

  private var source: OnePasswordSource {
    OnePasswordSource(SourceContext(variables: variables, folder: scratch.path, home: nil))
  }

  private func field(_ location: String) -> Reference {
    Reference(scheme: "op", location: location, isLocal: false, surface: ExternalAccess(.path, "op://\(location)"))
  }

  private func calls() throws -> [String] { try programs.text("calls").split(separator: "\n").map(String.init) }

  @Test("the contract of sources")
  func contract() async throws {
    let contract = SourceContract(
      source,
      present: [
        (field("dev/mail/password"), "eins"), (field("dev/mail/user"), "zwei\nlines\n"),
        (field("dev/my key/a b/c_d"), "{{ op://dev/mail/user }} ü"), (field("dev/mail/otp?attribute=otp"), "123456"),
        (field("dev/ssh/private key?ssh-format=openssh"), "PEM"),
      ],
      missing: [field("dev/mail/none"), field("dev/none/password")],
      unreadable: [
        field("dev/empty/x"), field("dev/mail"), field("dev/$HOME/x"), field("dev/mail/x }} {{ op:/dev/mail/user"),
      ], failing: [(field("other/mail/password"), .denied)])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("all references of a run are one call, with the variables of op; none of them is an argument")
  func batch() async throws {
    let references = [field("dev/mail/user"), field("dev/mail/password"), field("dev/mail/user")]
    #expect(await source.tell(references) == [.value("zwei\nlines\n"), .value("eins"), .value("zwei\nlines\n")])
    #expect(try calls() == [#"[["inject"], ["OP_SERVICE_ACCOUNT_TOKEN", "OP_SESSION_x"]]"#])
  }

  @Test("if one reference fails, each is read by itself, once")
  func singles() async throws {
    let references = [field("dev/mail/none"), field("dev/mail/password"), field("dev/mail/none")]
    #expect(await source.tell(references) == [.missing, .value("eins"), .missing])
    #expect(try calls().count == 3)
  }

  @Test(
    "what concerns the account is found by one call",
    arguments: [
      (
        message: "You are not currently signed in. Please run `op signin --help`.",
        kind: AccessFailure.Kind.unauthenticated
      ),
      (message: "session expired, sign in to create a new session", kind: .unauthenticated),
      (message: "could not read secret: (401) Unauthorized: invalid token", kind: .unauthenticated),
      (message: "error initializing client: found no accounts for filter \"x.1password.com\"", kind: .unauthenticated),
      (message: "(429) Too Many Requests: rate limit", kind: .throttled),
      (message: "Get \"https://x.1password.com\": dial tcp: lookup x.1password.com: no such host", kind: .unreachable),
    ])
  func account(_ given: (message: String, kind: AccessFailure.Kind)) async throws {
    try programs.write(given.message, to: "fault")
    for answer in await source.tell([field("dev/mail/user"), field("dev/mail/password")]) {
      guard case .failed(given.kind, let reason) = answer else {
        Issue.record("\(answer)")
        continue
      }
      #expect(!reason.contains("1password.com"))
    }
    #expect(try calls().count == 1)
  }

  @Test(
    "what concerns one reference is not missing unless op says so",
    arguments: [
      (
        message: "More than one item matches \"x\". Try again and specify the item by its ID",
        kind: AccessFailure.Kind.unreadable
      ),
      (message: "(403) Forbidden: canary", kind: .denied), (message: "something new: canary", kind: .unreadable),
      (message: "could not read 'op://dev/not signed in/x': \"dev\" isn't a vault in this account.", kind: .denied),
    ])
  func reference(_ given: (message: String, kind: AccessFailure.Kind)) async throws {
    try programs.write(given.message, to: "fault")
    guard case .failed(given.kind, let reason)? = await source.tell(field("dev/mail/user")) else {
      Issue.record("it is another failure")
      return
    }
    #expect(!reason.contains("canary"))
  }

  @Test("without op nothing is known")
  func absent() async throws {
    let bare = OnePasswordSource(
      SourceContext(variables: ["PATH": scratch.path], folder: "/srv", home: nil))
    #expect(
      await bare.tell(field("dev/mail/user"))
        == .unreachable("\"op\" was not found. Install it outside of the work tree, or use its full path."))
  }
}
