/// A setting that jobs need, under the name that it has at the service.
package struct JobSetting: Encodable, Sendable {
  package let name: String
  package let kind: Kind
  /// Its use, in one line.
  package let purpose: String
  /// The value, if it is known and not secret; of an address the part that is not.
  package let value: String?

  package enum Kind: String, Encodable, Sendable {
    /// A secret for all jobs, also for those of pull requests.
    case secret
    /// A secret of the environment in which only the main branch is deployed.
    case deploymentSecret
    /// A setting that everybody may read.
    case variable
    /// It is in the printed file.
    case fixed
  }
}

extension JobProject {
  /// The settings of a service: of GitHub, where a workflow chooses the name of each secret, or of GitLab, where an environment has another
  /// value under the same name.
  func settings(_ service: JobService) -> [JobSetting] {
    switch service {
    case .github: hosted(reading: "_READING", planning: "_PLANNING", named: setting)
    case .gitlab:
      // Its jobs get variables under the names that keyplan reads.
      hosted(reading: "", planning: "", named: { $0 }) + [
        JobSetting(
          name: "NOTE_HEADER", kind: .secret, purpose: "a file: PRIVATE-TOKEN: and a token for notes", value: nil)
      ]
    case .cron: scheduled
    }
  }

  private func hosted(reading: String, planning: String, named setting: (String) -> String) -> [JobSetting] {
    let store: [JobSetting]
    switch self.store {
    case .file(let path):
      store = [
        JobSetting(
          name: setting("KEYPLAN_STORE"), kind: .variable, purpose: "the store's file on the runner, an absolute path",
          value: path)
      ]
    case .server, .none:
      let address: String? = if case .server(let text) = self.store { text } else { nil }
      store = [
        JobSetting(
          name: setting("KEYPLAN_STORE" + reading), kind: .secret,
          purpose: "the store's address, with a role that only reads", value: address),
        JobSetting(
          name: setting("KEYPLAN_STORE"), kind: .deploymentSecret, purpose: "the same with a role that writes",
          value: address),
      ]
    }
    let identities = [
      JobSetting(
        name: setting("KEYPLAN_IDENTITY" + planning), kind: .secret,
        purpose: "the identity of a recipient that can only plan", value: nil),
      JobSetting(
        name: setting("KEYPLAN_IDENTITY"), kind: .deploymentSecret,
        purpose: "the identity of CI's own recipient, never yours", value: nil),
    ]
    let pin = JobSetting(
      name: setting("KEYPLAN_PIN"), kind: .variable, purpose: "the line of keyplan.lock: which store is meant",
      value: self.pin)
    let read = variables.map {
      JobSetting(name: $0, kind: .secret, purpose: "a value or credential that the manifest reads", value: nil)
    }
    return store + identities + [pin] + fixed(in: .root) + read
  }

  private var scheduled: [JobSetting] {
    let path: String? =
      switch store {
      case .file(let path): path
      case .server(let address): address
      case .none: nil
      }
    let read = variables.map {
      JobSetting(name: $0, kind: .secret, purpose: "a value or credential that the manifest reads", value: nil)
    }
    return [
      JobSetting(name: "KEYPLAN_STORE", kind: .fixed, purpose: "the store, named outside of the checkout", value: path),
      JobSetting(
        name: "KEYPLAN_CHECKOUT", kind: .fixed, purpose: "only what was merged runs here", value: "trusted"),
      JobSetting(
        name: "KEYPLAN_IDENTITY", kind: .secret, purpose: "an identity that can only plan, if not the account's own",
        value: nil),
    ] + fixed(in: .folder) + read
  }

  private func fixed(in place: JobPlace) -> [JobSetting] {
    let environment = environmentName.map {
      JobSetting(name: "KEYPLAN_ENVIRONMENT", kind: .fixed, purpose: "the environment of the manifest", value: $0)
    }
    let manifest = manifest(in: place).map {
      JobSetting(name: "KEYPLAN_MANIFEST", kind: .fixed, purpose: "the manifest", value: $0)
    }
    return [environment, manifest].compactMap(\.self)
  }
}

/// A service for which a file is printed.
package enum JobService: String, CaseIterable, Encodable, Sendable {
  case github, gitlab
  /// A systemd unit, or a line for cron.
  case cron
}
