/// Which names an environment variable can have, and which of them do more than carry a value.
public enum VariableName {
  /// Whether a shell takes it: letters, digits and `_`, no digit first (POSIX, Base Definitions, section 3.231).
  public static func isValid(_ name: some StringProtocol) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
    }
  }

  /// Whether it decides what programs load, run or trust. In any case: `https_proxy` counts, and zsh ties `path` to `PATH`.
  public static func isUnsafe(_ name: some StringProtocol) -> Bool {
    let name = name.uppercased()
    return exact.contains(name) || name.hasSuffix("_PROXY") || prefixes.contains { name.hasPrefix($0) }
  }

  private static let prefixes = [
    "ACTIONS_", "BASH_FUNC_", "DYLD_", "GIT_CONFIG", "GIT_SSH", "KEYPLAN_", "LD_", "RUNNER_", "SSL_CERT_",
  ]

  private static let exact: Set = [
    // What a shell or the loader reads.
    "BASH_ENV", "ENV", "GCONV_PATH", "GLIBC_TUNABLES", "HOME", "IFS", "PATH", "PROMPT_COMMAND", "PS4", "SHELLOPTS",
    "ZDOTDIR",
    // What a language's runtime loads.
    "CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "NODE_PATH",
    "NODE_TLS_REJECT_UNAUTHORIZED", "PERL5LIB", "PERL5OPT", "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "RUBYLIB",
    "RUBYOPT", "_JAVA_OPTIONS",
    // What runs or trusts something on behalf of git and of TLS.
    "CURL_CA_BUNDLE", "GIT_ASKPASS", "GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "OPENSSL_CONF", "REQUESTS_CA_BUNDLE",
    "SSH_ASKPASS",
    // Where later steps of a job take their variables and programs from.
    "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH",
  ]
}
