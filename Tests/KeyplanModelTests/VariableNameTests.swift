import Testing

@testable import KeyplanModel

@Suite("The names of variables") struct VariableNameTests {
  /// What a pull request would choose: each decides what some program loads, runs or trusts.
  static let programs = """
    LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH GLIBC_TUNABLES PATH IFS ENV BASH_ENV BASH_FUNC_ls%%
    SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND CDPATH FPATH ZDOTDIR SHELL HOME TMPDIR TERMINFO XDG_CONFIG_HOME XDG_DATA_DIRS
    XAUTHORITY DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_ASKPASS SUDO_ASKPASS SUDO_EDITOR GIT_ASKPASS GIT_EDITOR
    GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_EXEC_PATH
    GIT_TEMPLATE_DIR GIT_DIR GIT_WORK_TREE GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0
    GIT_SSL_NO_VERIFY GIT_TRACE HGRCPATH SVN_SSH CVS_RSH RSYNC_RSH EDITOR VISUAL PAGER MANPAGER SYSTEMD_PAGER PSQL_EDITOR
    KUBE_EDITOR BROWSER GH_BROWSER LESS LESSOPEN LESSCLOSE VIMINIT EMACSLOADPATH FZF_DEFAULT_COMMAND GREP_OPTIONS
    TAR_OPTIONS WGETRC CURL_HOME NETRC PERL5LIB PERL5OPT PERL5DB PERLLIB PERL_MM_OPT PYTHONPATH PYTHONHOME PYTHONSTARTUP
    PYTHONUSERBASE PYTHONWARNINGS PYTHONBREAKPOINT RUBYOPT RUBYLIB RUBYSHELL GEM_HOME BUNDLE_GEMFILE PHPRC PHP_INI_SCAN_DIR
    COMPOSER_HOME NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED npm_config_script_shell
    NPM_CONFIG_USERCONFIG npm_config__authToken npm_config_node_options YARN_RC_FILENAME BUN_INSTALL DENO_DIR ELECTRON_RUN_AS_NODE CLASSPATH
    JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS JAVA_HOME MAVEN_OPTS GRADLE_OPTS GRADLE_USER_HOME CATALINA_OPTS
    DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_PROFILER COR_PROFILER_PATH COMPlus_EnableDiagnostics GOFLAGS
    GOPROXY GOSUMDB GOTOOLCHAIN GOENV CGO_CFLAGS RUSTC RUSTC_WRAPPER RUSTFLAGS RUSTUP_TOOLCHAIN CARGO_HOME
    CARGO_BUILD_RUSTC_WRAPPER CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER MAKEFLAGS MAKEFILES CC CXX CFLAGS LDFLAGS
    CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH CCACHE_PREFIX CONFIG_SITE SWIFT_EXEC SDKROOT DEVELOPER_DIR LUA_INIT LUA_PATH_5_4
    R_PROFILE_USER ERL_AFLAGS NIX_PATH PIP_CONFIG_FILE PIP_REQUIRE_VIRTUALENV UV_DEFAULT_INDEX CONDA_EXE
    DJANGO_SETTINGS_MODULE FLASK_APP PYTEST_ADDOPTS SPRING_APPLICATION_JSON LOG4J_CONFIGURATION_FILE SSL_CERT_FILE
    SSL_CERT_DIR SSLKEYLOGFILE OPENSSL_CONF CURL_CA_BUNDLE REQUESTS_CA_BUNDLE AWS_CA_BUNDLE VAULT_CACERT VAULT_SKIP_VERIFY
    KRB5_CONFIG LDAPCONF AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_PROFILE AWS_WEB_IDENTITY_TOKEN_FILE
    AWS_LAMBDA_EXEC_WRAPPER AWS_CONTAINER_CREDENTIALS_FULL_URI CLOUDSDK_CONFIG CLOUDSDK_PYTHON
    GOOGLE_APPLICATION_CREDENTIALS AZURE_CONFIG_DIR KUBECONFIG HELM_PLUGINS DOCKER_CONFIG DOCKER_CONTEXT COMPOSE_FILE
    TF_CLI_CONFIG_FILE TF_CLI_ARGS_plan TF_REATTACH_PROVIDERS ANSIBLE_CONFIG PACKER_PLUGIN_PATH PGSERVICEFILE PGPASSFILE
    PGSSLROOTCERT PSQLRC ODBCSYSINI TNS_ADMIN GNUPGHOME PASSWORD_STORE_DIR OP_CONFIG_DIR SOPS_AGE_KEY_FILE
    RESTIC_PASSWORD_COMMAND BORG_PASSCOMMAND BORG_RSH GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT ACTIONS_RUNTIME_URL
    RUNNER_TEMP KEYPLAN_STORE ASAN_OPTIONS MALLOC_CONF QT_PLUGIN_PATH GTK_MODULES ALL_LOADER_PRELOAD
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  /// Where other programs send the credentials that they have.
  static let addresses = """
    OPENAI_BASE_URL ANTHROPIC_BASE_URL OPENAI_API_BASE AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3 S3_ENDPOINT_URL
    BEDROCK_ENDPOINT_URL_V2 UV_INDEX_URL DOCKER_HOST HTTP_PROXY HTTPS_PROXY https_proxy ALL_PROXY no_proxy FTP_PROXY
    RSYNC_PROXY VAULT_ADDR BAO_ADDR CONSUL_HTTP_ADDR NOMAD_ADDR OP_CONNECT_HOST INFISICAL_API_URL PGHOST GH_HOST
    GITHUB_API_URL KUBERNETES_SERVICE_HOST PUBSUB_EMULATOR_HOST TWINE_REPOSITORY_URL HF_ENDPOINT MSI_ENDPOINT
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  @Test("that decide what programs load, run or trust need a permission", arguments: programs)
  func decidingPrograms(name: String) {
    // npm and pip take indexes and registries, too: which of the two it is makes no difference.
    #expect(VariableName.use(of: name) == .permitted(.programs))
    #expect(VariableName.isUnsafe(name.lowercased()) && VariableName.isUnsafe(name.uppercased()))
  }

  @Test("that decide where programs send credentials need a permission", arguments: addresses)
  func decidingAddresses(name: String) { #expect(VariableName.isUnsafe(name), "\(VariableName.use(of: name))") }

  @Test("there are more than a hundred of them here, and no sentence names one twice")
  func table() {
    #expect(Self.programs.count + Self.addresses.count > 200)
    #expect(Set(Self.programs + Self.addresses).count == Self.programs.count + Self.addresses.count)
    #expect(VariableName.risk(of: "DOCKER_HOST") == .addresses)
    #expect(VariableName.risk(of: "OPENAI_BASE_URL") == .addresses)
  }

  @Test(
    "of credentials are free",
    arguments: [
      "OPENAI_API_KEY", "openai_api_key", "OPENAI_API_KEY_2", "KEY_00001", "KEY2", "GITHUB_TOKEN", "GH_TOKEN",
      "JWT_SECRET", "PGPASSWORD", "DB_PASSWORD", "SMTP_PASS", "SENTRY_DSN", "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "DB_USER", "PGUSER", "VAULT_TOKEN", "NPM_TOKEN",
      "NODE_AUTH_TOKEN", "CARGO_REGISTRY_TOKEN", "GIT_TOKEN", "PYTHON_API_KEY", "SSH_PRIVATE_KEY", "SOPS_AGE_KEY",
      "HOMEBREW_GITHUB_API_TOKEN", "ANSIBLE_VAULT_PASSWORD", "HELM_REGISTRY_PASSWORD", "CI_JOB_TOKEN",
      "DOCKER_PASSWORD", "TOKEN", "apiKey",
    ])
  func free(name: String) { #expect(VariableName.use(of: name) == .free) }

  @Test(
    "of everything else are shown to a reviewer",
    arguments: [
      "DATABASE_URL", "REDIS_URL", "SMTP_HOST", "LOG_LEVEL", "NODE_ENV", "PORT", "DB_USERNAME", "FOO_HOOK",
      "STARTUP_SCRIPT",
      "SECRET_KEY_BASE", "DEPLOY_TARGET", "A", "_", "KEY_", "TOKENS", "API_URL", "AWS_REGION", "X_2", "2", "",
      "MYSQL_HOST",
      "EDITORIAL", "PATHS", "HOMEPAGE", "LDAP", "ENVIRONMENT", "MAKER", "CCTV",
    ])
  func reviewed(name: String) { #expect(VariableName.use(of: name) == .reviewed) }

  @Test("in the table are in capitals, once each, and each is recognized by itself")
  func families() {
    var seen: Set<Substring> = []
    for family in VariableFamilies.all {
      for (names, isWide) in [(family.names, false), (family.unlessSecret, true)] {
        for name in names.split(whereSeparator: \.isWhitespace) {
          #expect(seen.insert(name).inserted, "\(name) is there twice")
          #expect(name == name.uppercased() && name.contains { $0 != "*" }, "\(name)")
          for middle in ["", "X", "_X_1"] {
            let text = name.split(separator: "*", omittingEmptySubsequences: false).joined(separator: middle)
            #expect(VariableName.isUnsafe(text), "\(name): \(text)")
          }
          guard name.hasSuffix("*") else { continue }
          let secret = name.dropLast() + "_TOKEN"
          #expect(VariableName.isUnsafe(secret) != isWide, "\(secret)")
        }
      }
    }
    #expect(seen.count > 400)
  }
}
