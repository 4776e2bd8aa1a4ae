import Foundation
import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@Suite("Files that configure, in an untrusted checkout")
struct ConfigurationFileTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try scratch.folder("checkout")
    for arguments in [["init", "-q"], ["config", "user.name", "t"], ["config", "user.email", "t@example.com"]] {
      try git(arguments)
    }
    try scratch.write("1", to: "checkout/tracked")
    try scratch.write("#!/bin/sh\necho theirs\n", to: "checkout/run.sh", mode: 0o755)
    try git(["add", "."])
    try scratch.write("1", to: "checkout/written")
    try scratch.write("1", to: "outside")
  }

  private func git(_ arguments: [String]) throws {
    try #require(try Child.run(["git", "-C", scratch["checkout"]] + arguments) == 0)
  }

  private func context(_ variables: [String: String] = [:], isTrusted: Bool = false) -> SourceContext {
    SourceContext(
      variables: variables.merging(["PATH": "/usr/bin:/bin", "HOME": scratch.path]) { one, _ in one },
      folder: scratch["checkout"], home: scratch.path, isTrusted: isTrusted)
  }

  @Test("are refused if git tracks them, also by a relative path, in every place of a list")
  func refusals() {
    let files = ConfigurationFiles(context())
    for name in ["checkout/tracked", "checkout/../checkout/tracked", "checkout"] {
      #expect(files.refusal(of: scratch[name]) != nil, "\(name)")
    }
    #expect(files.refusal(of: "tracked", named: "VAULT_CACERT")?.reason.contains("VAULT_CACERT names tracked") == true)
    for name in ["checkout/written", "outside", "none", "checkout/none"] {
      #expect(files.refusal(of: scratch[name]) == nil, "\(name)")
    }
    #expect(ConfigurationFiles(context(isTrusted: true)).refusal(of: scratch["checkout/tracked"]) == nil)
  }

  @Test("are refused by each variable of the table", arguments: ConfigurationVariable.all)
  func variables(variable: ConfigurationVariable) {
    let (tracked, written) = (scratch["checkout/tracked"], scratch["checkout/written"])
    func refusal(_ value: String) -> AccessFailure? {
      ConfigurationFiles(context([variable.name: value])).refusal(ofVariable: variable.name)
    }
    #expect(refusal(tracked) != nil && refusal(written) == nil && refusal("") == nil)
    if variable.content == .files { #expect(refusal("\(written):\(tracked)") != nil) }
  }

  @Test("add a term to the permission of the connections that read them, if git tracks them")
  func terms() {
    let (tracked, written) = (scratch["checkout/tracked"], scratch["checkout/written"])
    let inspector = CheckoutInspector(
      context(["KUBECONFIG": "\(written):\(tracked)", "AWS_CONFIG_FILE": written], isTrusted: true), digests: Sums())
    let digest = "hmac:0031"
    #expect(inspector.terms(ofConfigurationFor: "kubernetes") == ["file $KUBECONFIG \(digest)"])
    #expect(inspector.terms(ofConfigurationFor: "awssm") == [])
    #expect(inspector.terms(ofConfigurationFor: "vault") == [])
  }

  @Test("are not given to a program that keyplan chooses, and nothing of the checkout is run for it")
  func programs() async {
    func run(_ words: [String], _ variables: [String: String] = [:], isTrusted: Bool = false) async -> String {
      var call = ProgramCall(words)
      call.variables = variables
      switch await ProgramRunner(context(isTrusted: isTrusted)).run(call) {
      case .ended(_, let output, _): return output.withBytes { String(decoding: $0, as: UTF8.self) }
      case .failed(let reason): return reason
      }
    }
    let script = scratch["checkout/run.sh"]
    for words in [
      [script], ["sh", script], ["sh", "-c", "exec \(script)"], ["sh", "-c", "exec $HOME/checkout/run.sh"],
    ] {
      #expect(await run(words).contains("was not run"), "\(words)")
      #expect(await run(words, isTrusted: true) == "theirs\n", "\(words)")
    }
    for words in [["./run.sh"], ["checkout/run.sh"]] {
      #expect(await run(words).contains("was not"), "\(words)")
      #expect(await run(words, isTrusted: true).contains("was not found"), "\(words)")
    }
    #expect(await run(["echo", "a"], ["GNUPGHOME": scratch["checkout"]]).contains("GNUPGHOME names"))
    #expect(
      await run(["echo", "a"], ["KUBECONFIG": "/none:\(scratch["checkout/tracked"])"]).contains("KUBECONFIG names"))
    #expect(await run(["echo", "a"], ["KUBECONFIG": scratch["checkout/written"]]) == "a\n")
  }

  @Test("are entries of a password store in the checkout, which count like files")
  func passwordStore() throws {
    try scratch.write("1", to: "checkout/entry.gpg")
    try scratch.write("1", to: "checkout/other.gpg")
    try git(["add", "entry.gpg"])
    let inspector = CheckoutInspector(context(["PASSWORD_STORE_DIR": scratch["checkout"]]), digests: Sums())
    func entry(_ name: String) -> Reference { Reference(scheme: "pass", location: name, isLocal: true) }
    let found = inspector.trackedContent(of: [entry("entry"), entry("other"), entry("../outside"), entry("none")])
    #expect(Set(found.keys) == [entry("entry")] && found[entry("entry")]?.hasPrefix("hmac:") == true)
    #expect(CheckoutInspector(context(), digests: Sums()).trackedContent(of: [entry("entry")]).isEmpty)
  }

  @Test("are the list in the documentation")
  func documentation() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/pull-requests.md")
    let text = try String(contentsOf: page.standardized, encoding: .utf8)
    let rows = text.split(separator: "\n").compactMap {
      $0.wholeMatch(of: /\| `([A-Z_]+)`(?:, `([a-z]+)`)? \| (.*) \|/)
    }
    #expect(
      rows.map { "\($0.1) \($0.2 ?? "") \($0.3)" }
        == ConfigurationVariable.all.map { "\($0.name) \($0.option ?? "") \($0.readers)" })
  }
}

@Suite("Paths in an argument")
struct MentionedPathTests {
  @Test(
    "are found as a shell would find them",
    arguments: [
      ("cat /a/b", ["/a/b"]), ("cd /a&&/b/c;exec '/d e'", ["/a", "/b/c", "/d"]), ("--file=/a", ["/a"]), ("@/a", ["/a"]),
      ("$HOME/x ${HOME}/y \"~/z\" ~/w", ["/home/ada/x", "/home/ada/y", "/home/ada/z", "/home/ada/w"]), ("none", []),
      ("PATH=/a:/b", ["/a", "/b"]),
    ])
  func found(argument: String, paths: [String]) {
    #expect(MentionedPaths(in: argument, home: "/home/ada").all == paths)
  }
}
