internal import KeyplanModel

/// A systemd service and its timer that check for drift on this machine, and the same as a line for cron. It is that of
/// `examples/drift-cron`.
struct DriftUnit {
  let file: JobFile

  private var project: JobProject { file.project }

  /// The unit's name without its ending.
  private var name: String { "\(project.slug)-drift" }

  var service: String {
    """
    # \(file.path)
    # Checks for drift, and fails if it reports something.
    # Printed by: keyplan ci cron; the timer by: keyplan ci cron --timer
    #
    \(project.environmentComment ?? "")\(crontab)#
    # An identity that can only plan is enough: to use one that is not the account's
    # own, add LoadCredential=identity:/etc/keyplan/identity.txt and
    # Environment=KEYPLAN_IDENTITY=%d/identity
    [Unit]
    Description=Check for drift of the keys in \(escaped(project.folder))
    Wants=network-online.target
    After=network-online.target
    # To be told of findings, add a unit of yours: OnFailure=

    [Service]
    Type=oneshot
    # The account that runs keyplan apply: a file store belongs to one account.
    User=\(escaped(project.machine.user))
    WorkingDirectory=\(escaped(project.folder))
    \(refresh)ExecStart=\(program) drift --quiet --unreachable-after 2h
    TimeoutStartSec=5min

    # The store is named here and not by the checkout.
    \(environment)
    # Only what was merged runs here.
    Environment=KEYPLAN_CHECKOUT=trusted
    \(variables)
    # Drift changes nothing: it writes only what it remembers about outages.
    ReadWritePaths=-\(word(project.machine.state))
    \(tokens)UMask=0077
    ProtectSystem=strict
    ProtectHome=read-only
    PrivateTmp=yes
    PrivateDevices=yes
    NoNewPrivileges=yes
    CapabilityBoundingSet=
    RestrictSUIDSGID=yes
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
    ProtectKernelTunables=yes
    ProtectKernelModules=yes
    ProtectKernelLogs=yes
    ProtectControlGroups=yes
    ProtectClock=yes
    ProtectHostname=yes
    ProtectProc=invisible
    ProcSubset=pid
    RemoveIPC=yes
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    KeyringMode=private
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallFilter=~@privileged
    SystemCallErrorNumber=EPERM

    """
  }

  var timer: String {
    """
    # /etc/systemd/system/\(name).timer. Printed by: keyplan ci cron --timer
    [Unit]
    Description=Check for drift every hour

    [Timer]
    OnCalendar=hourly
    RandomizedDelaySec=10min
    Persistent=yes

    [Install]
    WantedBy=timers.target

    """
  }

  /// A store on a server gets its address with the variables, since it contains a password.
  private var environment: String {
    if case .file(let path) = project.store { return variable("KEYPLAN_STORE", path) }
    return "# KEYPLAN_STORE has the address of a role that may only read, in the next file."
  }

  private var variables: String {
    let fixed = file.settings.filter { $0.kind == .fixed && !["KEYPLAN_STORE", "KEYPLAN_CHECKOUT"].contains($0.name) }
      .map { variable($0.name, $0.value ?? "") + "\n" }.joined()
    let isServer = if case .file = project.store { false } else { true }
    let read = (isServer ? ["KEYPLAN_STORE"] : []) + project.variables
    guard !read.isEmpty else { return fixed }
    return fixed + """
      # NAME=value, one a line, readable by root alone, for:
      \(read.map { "#   \($0)" }.joined(separator: "\n"))
      EnvironmentFile=/etc/keyplan/\(project.slug).env

      """
  }

  private var refresh: String {
    guard project.hasAccounts else { return "" }
    return """
      # Tokens first, since drift only asks. Whatever becomes of that, drift is asked.
      ExecStartPre=-\(program) calendar refresh --all --quiet --unreachable-after 2h

      """
  }

  /// Refreshed tokens are written to the store.
  private var tokens: String {
    guard project.hasAccounts, case .file(let path) = project.store, let end = path.lastIndex(of: "/") else {
      return ""
    }
    return "ReadWritePaths=\(word(String(path[..<end])))\n"
  }

  private var crontab: String {
    // How cron reads a backslash depends on its version.
    var paths = [project.folder, project.machine.program, project.manifest]
    if case .file(let path) = project.store { paths.append(path) }
    guard !paths.contains(where: { $0.contains("\\") }) else {
      return "# A crontab cannot have these paths: they contain a backslash.\n"
    }
    // To cron a percent sign is a line feed.
    let line = cron.replacing("%", with: "\\%")
    return """
      # The same with cron, in /etc/cron.d/\(project.slug):
      #   17 * * * * \(project.machine.user) \(line)

      """
  }

  private var cron: String {
    var words = ["cd \(ShellWord.quoted(project.folder)) &&", "KEYPLAN_CHECKOUT=trusted"]
    if case .file(let path) = project.store { words.append("KEYPLAN_STORE=\(ShellWord.quoted(path))") }
    if let environment = project.environmentName {
      words.append("KEYPLAN_ENVIRONMENT=\(ShellWord.quoted(environment))")
    }
    if let manifest = project.manifest(in: .folder) { words.append("KEYPLAN_MANIFEST=\(ShellWord.quoted(manifest))") }
    words.append("\(ShellWord.quoted(project.machine.program)) drift --quiet --unreachable-after 2h")
    return words.joined(separator: " ")
  }

  private func variable(_ name: String, _ value: String) -> String { "Environment=" + word("\(name)=\(value)") }

  /// systemd replaces specifiers that begin with a percent sign.
  private func escaped(_ text: String) -> String { Glyphs.visible(text).replacing("%", with: "%%") }

  /// No variable is replaced in the path of a program.
  private var program: String { word(project.machine.program) }

  /// One word of a list.
  private func word(_ text: String) -> String {
    let escaped = escaped(text)
    guard escaped.contains(where: { " \"'\\;".contains($0) }) else { return escaped }
    return "\"" + escaped.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
