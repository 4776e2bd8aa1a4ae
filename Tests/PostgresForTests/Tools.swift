import Foundation

/// The server's programs, and how to run them as somebody who is not root: it refuses to run as root.
enum Tools {
  /// Where `initdb` is: the folder that KEYPLAN_TEST_POSTGRES names, or the newest that is installed; nil where there is none.
  static let folder: String? = {
    let named = ProcessInfo.processInfo.environment["KEYPLAN_TEST_POSTGRES"].map { [$0] }
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let debian = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return (named ?? debian + path).first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
  }()

  /// Copies a wheel's programs with their libraries, because who the server runs as may not get to where they are.
  static func copy(_ programs: String, to directory: String) throws -> String {
    let version = URL(filePath: programs).deletingLastPathComponent()
    let package = version.deletingLastPathComponent()
    let script = """
      mkdir -p "$2/wheel/$(basename "$1")" && cp -R "$1/$3" "$2/wheel/$(basename "$1")" && cp -R "$1.libs" "$2/wheel"
      chmod -R a+rX "$2/wheel"
      """
    try run(["/bin/sh", "-ec", script, "copy", package.path, directory, version.lastPathComponent])
    let copied = "\(directory)/wheel/\(package.lastPathComponent)/\(version.lastPathComponent)/bin"
    if let user { try run(["chown", "-R", user.name, directory + "/wheel"]) }
    return copied
  }

  /// Whom a server runs as, in the place of root.
  private static var user: (name: String, group: String)? {
    geteuid() != 0 ? nil : getpwnam("postgres") == nil ? ("nobody", "nogroup") : ("postgres", "postgres")
  }

  /// Waits until a log has these words so often.
  static func wait(for words: String, times: Int, in log: String) throws {
    let deadline = Deadline()
    while ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").components(separatedBy: words).count <= times {
      guard !deadline.isOver else { throw Failed(words: "\(log) does not say: \(words)") }
      usleep(5000)
    }
  }

  static func unprivileged(_ arguments: [String]) -> [String] {
    guard let user else { return arguments }
    return ["setpriv", "--reuid=\(user.name)", "--clear-groups", "--regid=\(user.group)"] + arguments
  }

  /// Starts a program. Not by Foundation's `Process`, which takes a program for running as long as a server that it started is.
  static func start(_ arguments: [String], input: Int32? = nil, output: String = "/dev/null") throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    actions.closeOthers()
    var words = (["/usr/bin/env"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    guard posix_spawn(&process, "/usr/bin/env", &actions, nil, &words, environ) == 0 else {
      throw Failed(words: "\(arguments.first ?? "") cannot be started")
    }
    return process
  }

  /// Starts a program that nobody waits for.
  ///
  /// Its end is taken notice of all the same: while a child that has ended lies there, swift-testing sees the end of no other, and
  /// waits for its exit tests for ever.
  static func leave(_ arguments: [String], input: Int32? = nil) throws {
    let process = try start(arguments, input: input)
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// Waits for a program's end and gives back how it ended; one that hangs for five minutes is ended.
  static func wait(for process: pid_t) -> Int32 {
    let deadline = Deadline()
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      if deadline.isOver { kill(process, SIGKILL) }
      usleep(1000)
    }
    return status
  }

  @discardableResult
  static func run(_ arguments: [String]) throws -> String {
    let output = NSTemporaryDirectory() + "/keyplan-tool-\(UUID().uuidString)"
    defer { unlink(output) }
    let process = try start(arguments, output: output)
    let status = wait(for: process)
    let words = try String(contentsOfFile: output, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    guard status == 0 else { throw Failed(words: words) }
    return words
  }

  static func freePort() throws -> Int {
    let (socket, port) = try Loopback.bound()
    close(socket)
    return port
  }
}

/// An authority, and a server's certificate by it; and another authority, which signed nothing.
enum Certificates {
  static func make(in directory: String, for names: String...) throws {
    func path(_ file: String) -> String { directory + "/" + file }
    for authority in ["ca", "other"] {
      try Tools.run([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3",
        "-subj", "/CN=\(authority)", "-keyout", path(authority + ".key"), "-out", path(authority + ".crt"),
      ])
    }
    try Tools.run([
      "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=db",
      "-addext", "subjectAltName=" + names.map { "DNS:\($0)" }.joined(separator: ","), "-keyout", path("server.key"),
      "-out", path("server.csr"),
    ])
    try Tools.run([
      "openssl", "x509", "-req", "-in", path("server.csr"), "-CA", path("ca.crt"), "-CAkey", path("ca.key"),
      "-CAcreateserial", "-days", "3", "-copy_extensions", "copy", "-out", path("server.crt"),
    ])
    chmod(path("server.key"), 0o600)
    if geteuid() == 0 { for file in ["", "/server.key", "/server.crt"] { try hand(over: directory + file) } }
  }

  private static func hand(over path: String) throws {
    guard let user = getpwnam("postgres") ?? getpwnam("nobody") else {
      throw Failed(words: "no user to run a server as")
    }
    chown(path, user.pointee.pw_uid, user.pointee.pw_gid)
  }
}
