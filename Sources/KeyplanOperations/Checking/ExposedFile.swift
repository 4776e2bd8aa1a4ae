internal import KeyplanFiles
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning

/// A file with secrets that git tracks or does not ignore, so that a commit could include its values.
package struct ExposedFile: Hashable {
  /// The file's path for messages.
  package let shown: String
  let state: State
  /// The file as it was named.
  let named: String
  /// The `.gitignore` that can keep it out, absolute.
  package let ignoreFile: String
  /// The line for it there; nil if a line does not help.
  package let line: String?

  enum State: Hashable {
    case tracked, notIgnored
    /// The ignore files cannot be evaluated.
    case unknown
  }

  /// - Parameter shown: the path relative to the manifest's folder, as an argument of `git rm` there.
  package static func detail(ofTracked shown: String) -> String {
    "git tracks \(shown), so its values would be committed."
  }
  package static func hint(forTracked shown: String) -> String {
    "git rm --cached -- \(ShellWord.quoted(shown)), and add it to .gitignore."
  }

  package var detail: String {
    switch state {
    case .tracked: Self.detail(ofTracked: shown)
    case .notIgnored: "git does not ignore \(shown), so its values could be committed."
    case .unknown: Self.detail(ofUnknown: shown) + " Its values could be committed."
    }
  }

  /// The first sentence about a file of which it is unknown whether git ignores it.
  static func detail(ofUnknown shown: String) -> String {
    "Whether git ignores \(shown) is unknown: the ignore files on its path are unreadable or too large."
  }

  static let unknownHint = "Shorten the .gitignore files on its path, or .git/info/exclude."

  /// - Parameter directory: the working directory.
  package func hint(from directory: String) -> String {
    guard state != .tracked else { return Self.hint(forTracked: shown) }
    guard let line else {
      return "\(Self.unknownHint) To ask git: git check-ignore -v -- \(ShellWord.quoted(shown))"
    }
    return "Add this line to \(Project.relative(ignoreFile, to: directory)): \(line)"
  }

  /// The exposed ones among the files that a manifest's sources and targets name, in their order.
  package static func among(_ files: [String], of folder: String, in world: World) -> [ExposedFile] {
    let paths = files.map { world.absolute($0, in: folder) }
    let handling = WorkTree.handling(of: paths)
    return zip(files, paths).compactMap { shown, path in
      switch handling[path] {
      case .tracked: ExposedFile(path, shown: shown, .tracked, of: folder)
      case .added: ExposedFile(path, shown: shown, .notIgnored, of: folder)
      case .unknown: ExposedFile(path, shown: shown, .unknown, of: folder)
      case .ignored, .ignoredUnlessTracked, nil: nil
      }
    }
  }

  /// - Parameter shown: as it was named.
  private init?(_ path: String, shown: String, _ state: State, of folder: String) {
    named = shown
    let real = Project.real(path)
    guard let tree = try? WorkTree(containing: Project.parent(of: real)) else { return nil }
    // Paths are relative to the manifest's folder; a file outside of it is named from its own root.
    let home = Project.real(folder)
    let isInside = real.hasPrefix(home + "/") && (try? WorkTree(containing: home))?.root == tree.root
    let base = isInside ? home : tree.root
    self.shown = shown
    self.state = state
    ignoreFile = (base == "/" ? "" : base) + "/.gitignore"
    line = state == .unknown ? nil : Self.pattern(Project.relative(real, to: base))
  }

  /// A pattern that matches only this file.
  private static func pattern(_ name: String) -> String {
    var pattern = "/"
    for character in name.unicodeScalars {
      if "*?[\\ ".unicodeScalars.contains(character) { pattern.unicodeScalars.append("\\") }
      pattern.unicodeScalars.append(character)
    }
    return pattern
  }
}

extension Project {
  /// The files whose values git would commit: existing files that sources read, files that targets write, and
  /// the identity.
  package func exposedFiles(in world: World) -> [ExposedFile] {
    guard let manifest = reading.manifest else { return [] }
    let looksOutside = world.mayReadOutsideCheckout
    let references =
      manifest.keys.sorted { $0.key < $1.key }.flatMap(\.value.sources)
      + manifest.accounts.sorted { $0.key < $1.key }.flatMap(\.value.references)
      + manifest.migrations.compactMap(\.original) + [reading.settings.storePassword].compactMap(\.self)
    let committed = Set(KnownBackends.all.filter(\.isEncrypted).map(\.name))
    let files = KnownBackends.plainFiles
    let sources = references.filter {
      $0.isFile && !committed.contains($0.scheme) && (looksOutside || $0.surface == nil)
        && world.fileExists(world.absolute($0.location, in: folder))
    }
    let targets = manifest.targets.sorted { $0.key < $1.key }.map(\.value.destination)
      .filter { files.contains($0.type) && (looksOutside || $0.surface == nil) }
    var seen: Set<String> = []
    let identity = Identities.file(in: world).map { Project.relative($0, to: folder) }
    let named = (sources.map(\.location) + targets.map(\.location) + [identity].compactMap(\.self)).filter {
      seen.insert($0).inserted
    }
    return ExposedFile.among(named, of: folder, in: world)
  }
}
