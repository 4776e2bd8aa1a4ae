/// Collects stanzas for files that differ in their recipients' labels, each with a file key of its own.
struct LabelledWraps {
  let plugins: any PluginRunning
  private(set) var files: [(labels: Set<String>, fileKey: FileKey, stanzas: [Stanza])] = []

  /// The labels that age defines. A random label, with which a plugin demands a file without other recipients, is not
  /// supported: the keyring has no place for such a file.
  private static let known: [Set<String>] = [[], ["postquantum"]]

  init(plugins: any PluginRunning) { self.plugins = plugins }

  mutating func add(_ recipient: AgeRecipient) throws(AgeError) {
    let expected = recipient.labels ?? []
    let (stanzas, labels) = try recipient.stanzas(wrapping: fileKey(for: expected), plugins: plugins)
    guard labels != expected else { return append(stanzas, to: labels) }
    // The plugin has to encrypt another key, now that its labels are known.
    guard let plugin = recipient.plugin, Self.known.contains(labels) else {
      guard let plugin = recipient.plugin else { throw .cryptography }
      throw .plugin(plugin, .labels(labels.sorted()))
    }
    let (again, same) = try recipient.stanzas(wrapping: fileKey(for: labels), plugins: plugins)
    guard same == labels else { throw .plugin(plugin, .labels(same.sorted())) }
    append(again, to: labels)
  }

  private mutating func append(_ stanzas: [Stanza], to labels: Set<String>) {
    guard let index = files.firstIndex(where: { $0.labels == labels }) else { return }
    files[index].stanzas += stanzas
  }

  private mutating func fileKey(for labels: Set<String>) -> FileKey {
    if let file = files.first(where: { $0.labels == labels }) { return file.fileKey }
    let fileKey = FileKey.generate()
    files.append((labels, fileKey, []))
    return fileKey
  }
}

/// Runs no plugins.
package struct NoPlugins: PluginRunning {
  package init() {}

  package func run<Exchange: PluginExchange>(
    _ plugin: PluginName, _ exchange: Exchange
  ) throws(AgeError) -> Exchange { throw .plugin(plugin, .notSupported) }
}
