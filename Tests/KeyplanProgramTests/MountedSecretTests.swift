import Foundation
import Testing

/// A process that is not root, with files that a container runtime has mounted for it.
@Suite(
  "In a container of another user than root",
  .enabled(if: geteuid() == 0 && StartTests.mayMount, "SKIPPED: needs root, to mount files for another user"))
struct MountedSecretTests {
  private static let user = "4321"
  /// One of the groups of the process, as Kubernetes' `fsGroup` adds it.
  private static let group = "4444"

  /// A project of that user, whose identity is `$ROOT/identity` and belongs to nobody yet.
  private static func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    try sandbox.write("version: 1\nkeys:\n  a: { provider: generic, variable: A }\n", to: "keyplan.yaml")
    try #require(sandbox.keyplan("init").code == 0)
    try #require(sandbox.keyplan("keys", "set", "a", "--yes", input: .text("value\n")).code == 0)
    try #require(rename(sandbox.identity, sandbox.root + "/identity") == 0)
    try #require(sandbox.start(["cp", Shell.program, sandbox.root + "/keyplan"]).wait().code == 0)
    try #require(sandbox.start(["chown", "-R", "\(user):\(user)", sandbox.project, sandbox.home]).wait().code == 0)
    try #require(chmod(sandbox.root, 0o755) == 0 && mkdir(sandbox.root + "/mount", 0o755) == 0)
    sandbox.variables["ROOT"] = sandbox.root
    sandbox.variables["MOUNT"] = sandbox.root + "/mount"
    sandbox.variables["GROUP"] = group
    sandbox.variables["container"] = "test"
    return sandbox
  }

  /// Runs keyplan as the user, after a script of root in a mount namespace of its own.
  private static func keyplan(
    _ sandbox: ProgramSandbox, after script: String, _ words: [String]
  ) throws -> ProgramRun.Answer {
    let become = ["setpriv", "--reuid", user, "--regid", user, "--groups", "\(user),\(group)"]
    return try sandbox.start(
      ["unshare", "-m", "/bin/sh", "-c", "set -e\n\(script)\nexec \"$@\"", "sh"] + become
        + [sandbox.root + "/keyplan"] + words
    ).wait()
  }

  private static let inMemory = "mount -t tmpfs -o size=4m,mode=755 none \"$MOUNT\"\n"
  private static let readOnly = "\nmount -o remount,ro \"$MOUNT\"\n"

  /// As kubelet makes a volume: the files of one version in a folder, and links to them.
  private static func volume(_ files: String, mode: String, group: String) -> String {
    inMemory + "mkdir \"$MOUNT/..2026\"; for name in \(files); do cp \"$ROOT/$name\" \"$MOUNT/..2026/$name\"\n"
      + "chown 0:\(group) \"$MOUNT/..2026/$name\"; chmod \(mode) \"$MOUNT/..2026/$name\"\n"
      + "ln -s \"..data/$name\" \"$MOUNT/$name\"; done; ln -s ..2026 \"$MOUNT/..data\"\n"
      + "chown 0:\(group) \"$MOUNT\" \"$MOUNT/..2026\"; chmod 3777 \"$MOUNT\"; chmod 2755 \"$MOUNT/..2026\"" + readOnly
  }

  private static func file(_ mode: String, _ owner: String = "0:0") -> String {
    "cp \"$ROOT/identity\" \"$MOUNT/identity\"; chown \(owner) \"$MOUNT/identity\"; chmod \(mode) \"$MOUNT/identity\""
  }

  private static let mounts: [(name: String, script: String)] = [
    ("a Docker secret", inMemory + file("444") + readOnly),
    ("a Docker secret that is writable for root", inMemory + file("444")),
    ("a Secret volume with fsGroup", volume("identity", mode: "440", group: "\"$GROUP\"")),
    ("a Secret volume without fsGroup", volume("identity", mode: "644", group: "0")),
    ("a file of root's for a group, on any disk", file("440", "0:\"$GROUP\"")),
    ("a file of its own", file("400", user)),
  ]

  @Test("an identity can be used as it is mounted", arguments: mounts.indices)
  func usable(index: Int) throws {
    let (name, script) = Self.mounts[index]
    let sandbox = try Self.sandbox()
    sandbox.variables["KEYPLAN_IDENTITY"] = sandbox.root + "/mount/identity"
    let answer = try Self.keyplan(sandbox, after: script, ["get", "a"])
    #expect(answer.code == 0 && answer.out == "value" && answer.err == "", "\(name): \(answer)")
  }

  private static let refusals: [(name: String, script: String, words: String)] = [
    ("readable by everybody on a shared disk", file("444"), "belongs to root and is accessible to others (mode 444)"),
    ("writable by a group", inMemory + file("460", "0:\"$GROUP\""), "accessible to others (mode 460)"),
    ("writable by everybody", inMemory + file("446"), "accessible to others (mode 446)"),
    ("another user's", inMemory + file("444", "1001") + readOnly, "belongs to another user (id 1001)"),
    ("for a group of others", inMemory + file("440", "0:999"), "permission denied"),
    (
      "behind a link of another user",
      inMemory + file("444")
        + "; mv \"$MOUNT/identity\" \"$MOUNT/x\"; ln -s x \"$MOUNT/identity\"; chown -h 1001 \"$MOUNT/identity\"",
      "is a symbolic link"
    ),
    (
      "behind a link that others can replace",
      inMemory + file("444")
        + "; mv \"$MOUNT/identity\" \"$MOUNT/x\"; ln -s x \"$MOUNT/identity\"; chmod 777 \"$MOUNT\"",
      "is a symbolic link"
    ),
    (
      "of two names", inMemory + file("444") + "; ln \"$MOUNT/identity\" \"$MOUNT/x\"", "belongs to another user (id 0)"
    ),
  ]

  @Test(
    "an identity is refused where others than root could have put it there or can read it", arguments: refusals.indices)
  func refused(index: Int) throws {
    let (name, script, words) = Self.refusals[index]
    let sandbox = try Self.sandbox()
    sandbox.variables["KEYPLAN_IDENTITY"] = sandbox.root + "/mount/identity"
    let answer = try Self.keyplan(sandbox, after: script, ["get", "a"])
    #expect(answer.code == 9 && answer.out == "", "\(name): \(answer)")
    let said = answer.err.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(said.contains(words), "\(name): \(said)")
    guard words.contains("belongs") || words.contains("accessible") else { return }
    #expect(said.contains("In a container, KEYPLAN_IDENTITY can contain the identity itself."), "\(name): \(said)")
  }

  /// A root directory without the files that container runtimes leave there.
  private static let elsewhere = """

    jail="$ROOT/jail"; mkdir -p "$jail"; mount -t tmpfs -o mode=755 none "$jail"
    for name in /*; do
      if [ -L "$name" ]; then cp -P "$name" "$jail"; fi
      if [ -d "$name" ] && [ ! -L "$name" ] && [ "$name" != /run ]; then mkdir "$jail$name"; mount --rbind "$name" "$jail$name"; fi
    done
    PATH="$PATH:/usr/sbin:/sbin"
    set -- chroot "$jail" "$@"
    """

  @Test("outside of a container, an identity that everybody can read is used with a warning", arguments: [true, false])
  func warned(isContainer: Bool) throws {
    let sandbox = try Self.sandbox()
    if !isContainer { sandbox.variables["container"] = nil }
    sandbox.variables["KEYPLAN_IDENTITY"] = sandbox.root + "/mount/identity"
    let script = Self.inMemory + Self.file("444") + Self.elsewhere
    let answer = try Self.keyplan(
      sandbox, after: script, ["get", "a", "--manifest", sandbox.project + "/keyplan.yaml"])
    #expect(answer.code == 0 && answer.out == "value", "\(answer)")
    #expect(answer.err.hasPrefix("warning: Identity is readable by everybody") != isContainer, "\(answer)")
    let doctor = try Self.keyplan(
      sandbox, after: script, ["doctor", "--manifest", sandbox.project + "/keyplan.yaml"])
    let said = doctor.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      said.contains(
        isContainer
          ? "everybody in this container can read it" : "! warning identity All users of this machine can read"),
      "\(doctor)")
  }

  @Test("a store in a volume of root's can be read, and not written")
  func store() throws {
    let sandbox = try Self.sandbox()
    try #require(rename(sandbox.store, sandbox.root + "/store.db") == 0)
    sandbox.variables["KEYPLAN_IDENTITY"] = sandbox.root + "/mount/identity"
    sandbox.variables["KEYPLAN_STORE"] = sandbox.root + "/mount/store.db"
    let volume = Self.volume("identity store.db", mode: "440", group: "\"$GROUP\"")
    for command in [["get", "a"], ["env"], ["plan"], ["drift"], ["doctor"]] {
      let answer = try Self.keyplan(sandbox, after: volume, command)
      #expect(answer.code == 0, "\(command): \(answer)")
    }
    let rekeyed = try Self.keyplan(sandbox, after: volume, ["store", "rekey", "--yes"])
    #expect(rekeyed.code == 1 && rekeyed.err.contains("read-only file system"), "\(rekeyed)")
    let open = try Self.keyplan(
      sandbox, after: volume + "\nmount -o remount,rw \"$MOUNT\"; chmod 777 \"$MOUNT/..2026\"", ["get", "a"])
    #expect(open.code == 9, "others could put a journal beside it: \(open)")
  }

  @Test("a store in a folder of its own on a volume for a group can be written")
  func ownFolder() throws {
    let sandbox = try Self.sandbox()
    sandbox.variables["KEYPLAN_IDENTITY"] = sandbox.root + "/mount/identity"
    sandbox.variables["KEYPLAN_STORE"] = sandbox.root + "/volume/keyplan/store.db"
    let volume =
      Self.inMemory + Self.file("444") + Self.readOnly
      + "mkdir -p \"$ROOT/volume\"; chown \"0:$GROUP\" \"$ROOT/volume\"; chmod 2775 \"$ROOT/volume\""
    let made = try Self.keyplan(sandbox, after: volume, ["init", "--new-store", "--yes"])
    #expect(made.code == 0, "\(made)")
    try sandbox.write(
      "version: 1\nkeys:\n  a: { provider: generic, variable: A, source: env://VALUE }\n", to: "keyplan.yaml")
    sandbox.variables["VALUE"] = "other"
    let applied = try Self.keyplan(sandbox, after: volume, ["apply", "--yes"])
    #expect(applied.code == 0, "\(applied)")
    #expect(try Self.keyplan(sandbox, after: volume, ["get", "a"]).out == "other")
    // What Kubernetes does with each file of such a volume when a pod starts, unless its root has the group already.
    let store = sandbox.root + "/volume/keyplan/store.db"
    let changed = try Self.keyplan(
      sandbox, after: volume + "\nchgrp \"$GROUP\" \"\(store)\"; chmod g+rw \"\(store)\"", ["plan"])
    #expect(changed.code == 9 && changed.err.contains("chmod go-rwx"), "\(changed)")
  }
}
