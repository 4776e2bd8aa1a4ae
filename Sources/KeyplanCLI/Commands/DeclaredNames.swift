internal import ArgumentParser
internal import KeyplanDocuments
internal import KeyplanLocal
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanProviders
internal import KeyplanReporting

/// The names offered by shell completion, from the manifest selected on the command line. Reads no store and reports no
/// errors, because the user is still typing.
enum DeclaredNames {
  /// Names of keys.
  static var keys: CompletionKind { completion { $0.keys } }
  /// Arguments of `get`.
  static var readable: CompletionKind { completion { $0.keys + $0.slots } }
  /// Addresses to which a plan can be limited.
  static var addresses: CompletionKind {
    completion { names in
      names.keys.map { "key." + $0 } + names.slots + names.targets.map { "target." + $0 }
        + names.accounts.map { "calendar." + $0 }
    }
  }
  /// The same without keys.
  static var otherAddresses: CompletionKind {
    completion { names in
      names.slots + names.targets.map { "target." + $0 } + names.accounts.map { "calendar." + $0 }
    }
  }
  /// Names of targets.
  static var targets: CompletionKind { completion { $0.targets } }
  /// Names of calendar accounts.
  static var accounts: CompletionKind { completion { $0.accounts } }

  /// Keys that can be edited: without an environment, those of the manifest itself.
  static var editableKeys: CompletionKind { editing { $0.keyNames } }
  /// Slots that can be edited.
  static var editableSlots: CompletionKind { editing { $0.slots } }
  /// Names of built-in providers and of the manifest's own.
  static var providers: CompletionKind {
    editing { ($0.form(of: ["providers"])?.names ?? []) + ProviderCatalog.builtIn.names }
  }

  /// The schemes of references.
  static var references: CompletionKind {
    .custom { _, _, prefix in
      KnownBackends.all.filter { $0.reference.map { $0.location != .command } ?? false }
        .map { $0.name + "://" }.filter { $0.hasPrefix(prefix) }.sorted()
        // zsh treats the text after an unescaped colon as a description.
        .map { CompletionShell.requesting == .zsh ? $0.replacing(":", with: "\\:") : $0 }
    }
  }

  /// Names of environments, from the names of overlay files.
  static var environments: CompletionKind {
    .custom { words, _, _ in
      let names =
        (try? world(words)).flatMap { world in
          (try? Project.find(in: world)).map { Project.overlays(of: $0, in: world) }
        } ?? []
      return names.isEmpty ? [] : Set(names + [EnvironmentChoice.nameOfAlone]).sorted()
    }
  }

  /// Computed on each request, so that other commands do not pay for it at start.
  private static func completion(_ names: @escaping @Sendable (Names) -> [String]) -> CompletionKind {
    .custom { words, _, prefix in
      guard let project = try? Project(in: world(words)),
        let manifest = project.reading.manifest
      else { return [] }
      return names(Names(manifest)).filter { $0.hasPrefix(prefix) }.sorted()
    }
  }

  /// Names in the files that an edit would change, even if the files have errors.
  private static func editing(_ names: @escaping @Sendable (YAMLText) -> [String]) -> CompletionKind {
    .custom { words, _, prefix in
      guard let files = try? ManifestFiles(in: world(words)) else { return [] }
      let texts = files.environment == nil ? [files.base.text] : files.all.map(\.text)
      return Set(texts.flatMap(names)).filter { $0.hasPrefix(prefix) }.sorted()
    }
  }

  struct Names {
    let keys: [String]
    /// As `active.SLOT`.
    let slots: [String]
    let targets: [String]
    let accounts: [String]

    init(_ manifest: Manifest) {
      keys = manifest.keys.keys.map(\.name)
      slots = manifest.slots.keys.map { "active." + $0.name }
      targets = manifest.targets.keys.map(\.name)
      accounts = manifest.accounts.keys.map(\.name)
    }
  }

  private static func world(_ words: [String]) throws(Failure) -> World {
    try Terminal(Hardening()).with(options(of: words)).world()
  }

  /// The manifest and environment selected on the command line so far.
  private static func options(of words: [String]) -> GlobalOptions {
    var arguments: [String] = []
    for (index, word) in words.enumerated() {
      if ["--manifest", "-f", "--environment", "-e"].contains(word), index + 1 < words.count {
        arguments += [word, words[index + 1]]
      } else if word.hasPrefix("--manifest=") || word.hasPrefix("--environment=") {
        arguments.append(word)
      }
    }
    return (try? GlobalOptions.parse(arguments)) ?? (try? GlobalOptions.parse([])) ?? GlobalOptions()
  }
}

extension TypedSubject {
  static var defaultCompletionKind: CompletionKind { DeclaredNames.addresses }
}

extension TypedAddress {
  static var defaultCompletionKind: CompletionKind { DeclaredNames.addresses }
}
