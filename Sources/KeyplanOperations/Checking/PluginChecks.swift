internal import KeyplanAge
internal import KeyplanLocal
internal import KeyplanModel
internal import KeyplanReporting

/// Whether the programs of age plugins are found. None is run.
enum PluginChecks {
  /// Those of the identities in use.
  static func identity(_ identities: Identities, in world: World) -> [Check] {
    checks(Set(identities.all.compactMap(\.plugin)), in: world) { plugin, path in
      guard let path else {
        return .error(
          .identity, "\(plugin.program), which the identity in \(identities.origin) requires, was not found.",
          hint: hint(for: plugin), .storeRefused)
      }
      return .ok(.identity, "\(plugin.program) is \(path)")
    }
  }

  /// Those of recipients.
  static func recipients(_ recipients: [Identifier<Recipient>: Recipient], in world: World)
    -> [Check]
  {
    let plugins = recipients.values.compactMap { try? AgeRecipient(parsing: $0.publicKey).plugin }
    return checks(Set(plugins), in: world) { plugin, path in
      guard let path else {
        return .warning(
          .commands,
          "\(plugin.program), which encrypts to a recipient of the store, was not found: changing recipients, new root keys and "
            + "backups require it.",
          hint: hint(for: plugin))
      }
      return .ok(.commands, "\(plugin.program) is \(path)")
    }
  }

  private static func checks(
    _ plugins: Set<PluginName>, in world: World, _ check: (PluginName, String?) -> Check
  ) -> [Check] {
    guard !plugins.isEmpty else { return [] }
    let programs = world.pluginPrograms
    return plugins.sorted { $0.program < $1.program }.map { check($0, programs.path(of: $0)) }
  }

  private static func hint(for plugin: PluginName) -> String {
    "Install \(plugin.program) in a directory of PATH that is outside of the work tree."
  }
}
