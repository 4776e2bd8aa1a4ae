import Foundation
import Testing

/// git itself, in repositories of a stranger, with the configuration that `--setup` prints.
@Suite("git with keyplan as its helper", .timeLimit(.minutes(40)))
struct HelperGitTests {
  private let hosts: HelperHosts
  private var project: HelperProject { hosts.project }

  private static let token = HelperHosts.token
  private static let author =
    "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b"

  init() throws {
    hosts = try HelperHosts()
    let script = """
      cd "$0"; \(Self.author)
      git init -q -b main work; cd work
      cp '\(hosts.project.hostile)/keyplan.yaml' .; cp -r '\(hosts.project.hostile)/.keyplan' '\(hosts.project.hostile)/keyplan.lock' .
      git add -A -f; git commit -qm one
      for name in app other; do
        git clone -q --bare . ../served/$name.git; git -C ../served/$name.git update-server-info
      done
      """
    let made = try hosts.project.run(["bash", "-ec", script, hosts.folder])
    try #require(made.code == 0, "\(made.out)\(made.err)")
    try configure()
  }

  /// - Parameter isForAll: whether git runs the helper for every URL, and not only for those of the section that is printed.
  private func configure(_ host: String? = nil, _ more: [String] = [], isForAll: Bool = false) throws {
    let setup = try project.run(
      ["keyplan", "helper", "git", "token", "--host", host ?? hosts.own, "--manifest", project.manifest, "--setup"]
        + more)
    try #require(setup.code == 0, "\(setup.err)")
    let text = isForAll ? setup.out.replacing(#/\[credential .*\]/#, with: "[credential]") : setup.out
    try project.write(text, to: project.sandbox.home + "/.gitconfig")
  }

  /// Runs git in the stranger's folder, without a person.
  private func git(_ words: String..., input: String = "") throws -> ProgramRun.Answer {
    try project.run(
      ["git"] + words, input: input,
      variables: ["GIT_SSL_CAINFO": hosts.certificate, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/false"])
  }

  /// Adds a submodule to one of the repositories.
  private func add(submodule url: String, to name: String) throws {
    let script = """
      cd "$0/work"; \(Self.author)
      printf '[submodule "m"]\\n\\tpath = m\\n\\turl = %s\\n' "$1" > .gitmodules
      git add .gitmodules; git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),m"; git commit -qm two
      git push -q ../served/\(name).git main; git -C ../served/\(name).git update-server-info
      """
    let made = try project.run(["bash", "-ec", script, hosts.folder, url])
    try #require(made.code == 0, "\(made.err)")
  }

  @Test("fills a credential for its host, and none for others")
  func fill() throws {
    let filled = try git("credential", "fill", input: "protocol=https\nhost=\(hosts.own)\n\n")
    #expect(filled.code == 0 && filled.out.contains("username=x-access-token\npassword=\(Self.token)\n"), "\(filled)")
    for request in [
      "protocol=http\nhost=\(hosts.own)\n\n", "protocol=https\nhost=\(hosts.other)\n\n",
      "url=https://evil%0ahost=\(hosts.own)/\n\n", "protocol=https\nhost=evil%0ahost=\(hosts.own)\n\n",
    ] {
      let answer = try git("credential", "fill", input: request)
      #expect(answer.code != 0 && !(answer.out + answer.err).contains(Self.token), "\(request)\(answer)")
    }
    for operation in ["approve", "reject"] {
      let input = "protocol=https\nhost=\(hosts.own)\nusername=x\npassword=y\n\n"
      let answer = try git("credential", operation, input: input)
      #expect(answer.code == 0 && answer.out == "" && answer.err == "", "\(answer)")
    }
  }

  @Test("clones a repository, and goes on in it although it has a manifest and a store")
  func clone() throws {
    let cloned = try git("clone", "https://\(hosts.own)/app.git", "clone")
    #expect(cloned.code == 0, "\(cloned.err)")
    #expect(FileManager.default.fileExists(atPath: project.hostile + "/clone/.keyplan/default.db"))
    #expect(try git("-C", "clone", "fetch").code == 0)
    #expect(hosts.told() == [0])
  }

  @Test(
    "a redirect to another host, a submodule there, and a URL without TLS get nothing, whoever decides: git or the helper",
    arguments: [false, true])
  func elsewhere(isForAll: Bool) throws {
    try configure(hosts.plain, isForAll: isForAll)
    let plain = try git("clone", "http://\(hosts.plain)/app.git", "b")
    #expect(plain.code != 0 && hosts.wasAsked(2), "\(plain.err)")
    try configure(isForAll: isForAll)
    try hosts.send(elsewhere: "https://\(hosts.other)")
    let moved = try git("clone", "https://\(hosts.own)/moved/app.git", "a")
    #expect(moved.code != 0 && hosts.wasAsked(1), "\(moved.err)")
    #expect(hosts.told() == [])
    try add(submodule: "https://\(hosts.other)/other.git", to: "app")
    let recursive = try git("clone", "--recurse-submodules", "https://\(hosts.own)/app.git", "c")
    #expect(recursive.code != 0 && recursive.err.contains("submodule"), "\(recursive.err)")
    #expect(hosts.told() == [0])
  }

  @Test("a helper that git runs for every URL has nothing for other hosts and protocols")
  func fillOthers() throws {
    try configure(isForAll: true)
    #expect(try git("credential", "fill", input: "protocol=https\nhost=\(hosts.own)\n\n").code == 0)
    for request in ["protocol=http\nhost=\(hosts.own)\n\n", "protocol=https\nhost=\(hosts.other)\n\n"] {
      let answer = try git("credential", "fill", input: request)
      #expect(answer.code != 0 && !(answer.out + answer.err).contains(Self.token), "\(request)\(answer)")
    }
  }

  @Test("with a path, another repository of the same host gets nothing")
  func path() throws {
    try configure(nil, ["--path", "app"])
    let fits = try git("clone", "https://\(hosts.own)/app.git", "a")
    #expect(fits.code == 0, "\(fits.err)")
    #expect(try git("clone", "https://\(hosts.own)/other.git", "b").code != 0)
  }

  @Test("a helper that another file configures is not given the key")
  func others() throws {
    let file = project.sandbox.home + "/.gitconfig"
    let own = try String(contentsOfFile: file, encoding: .utf8)
    let store = project.sandbox.root + "/kept"
    try project.write("[credential]\n\thelper = store --file \(store)\n" + own, to: file)
    #expect(try git("clone", "https://\(hosts.own)/app.git", "a").code == 0)
    #expect(!FileManager.default.fileExists(atPath: store))
  }
}
