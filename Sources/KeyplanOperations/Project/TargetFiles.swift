internal import KeyplanFiles
package import KeyplanManifest
internal import KeyplanModel
package import KeyplanPlanning

/// Checks the files that a manifest's targets write.
package struct TargetFiles {
  private let own: OwnFiles
  private let folder: String
  private let world: World
  private let files: ManifestReader.NamedFiles
  /// Whether files outside the folder are inspected as well.
  private let looksOutside: Bool

  package init(_ files: ManifestReader.NamedFiles, _ own: OwnFiles, folder: String, in world: World) {
    (self.files, self.own, self.folder, self.world) = (files, own, folder, world)
    looksOutside = world.mayReadOutsideCheckout
  }

  /// Errors and warnings about them.
  package var diagnostics: [Diagnostic] { ownFiles + sharedFiles + sources + tracked }

  private var ownFiles: [Diagnostic] {
    files.targets.compactMap { file in
      let role = own.role(of: path(file), following: isSeen(file)) ?? result(at: file)
      return role.map { role in
        diagnostic(
          .protectedFile, file,
          KnownFiles.isName(role, of: file.path)
            ? "keyplan would write values into \(file.path)."
            : "\(file.path) is \(role), and keyplan would write values into it.",
          hint: "Choose another file for these values, such as .env.local.")
      }
    }
  }

  /// A baseline is committed, a plan is approved and an event log is published: none of them may contain a value.
  private func result(at file: ManifestReader.TargetFile) -> String? {
    isSeen(file) ? ResultKind.words(forFileAt: path(file)) : nil
  }

  /// Two targets whose files are the same through links. Those with the same path are found by the reader.
  private var sharedFiles: [Diagnostic] {
    var owners: [FileIdentity: ManifestReader.TargetFile] = [:]
    return files.targets.compactMap { file in
      guard isSeen(file), let identity = FileIdentity(path(file)),
        let other = owners.updateValue(file, forKey: identity)
      else { return nil }
      owners[identity] = other
      return diagnostic(
        .conflict, file,
        "\(file.path) and \(other.path), the file of \"\(other.target)\", are the same file. A file can have only one target."
      )
    }
  }

  /// Targets that would overwrite the sources of keys.
  private var sources: [Diagnostic] {
    var targets: [FileIdentity: [ManifestReader.TargetFile]] = [:]
    var named: [String: [ManifestReader.TargetFile]] = [:]
    for file in files.targets {
      named[file.path, default: []].append(file)
      if isSeen(file), let identity = FileIdentity(path(file)) { targets[identity, default: []].append(file) }
    }
    guard !named.isEmpty else { return [] }
    // Nearly all sources lead into the same few files.
    var found: [String: [ManifestReader.TargetFile]] = [:]
    var diagnostics: [Diagnostic] = []
    for (id, key) in files.keys {
      for source in key.sources where source.isFile {
        let known = found[source.location]
        let writers =
          known ?? named[source.location]
          ?? (isSeen(source) ? FileIdentity(absolute(source.location)).flatMap { targets[$0] } : nil) ?? []
        if known == nil { found[source.location] = writers }
        for file in writers where file.writes(into: source) {
          diagnostics.append(
            diagnostic(
              .conflict, file, "keyplan would overwrite the source of \"\(id)\", \(source), in \(file.path).",
              hint: "Write to another file or under another name. To move values into the store, use `migrations`."))
        }
      }
    }
    return diagnostics
  }

  /// Files that the next commit would include.
  private var tracked: [Diagnostic] {
    let seen = files.targets.filter { isSeen($0) && !$0.isEncrypted }
    guard !seen.isEmpty else { return [] }
    let tracked = WorkTree.tracked(among: seen.map(path))
    return seen.filter { tracked.contains(path($0)) }.map { file in
      diagnostic(
        .targetTracked, file, ExposedFile.detail(ofTracked: file.path),
        hint: ExposedFile.hint(forTracked: file.path))
    }
  }

  private func diagnostic(
    _ code: Diagnostic.Code, _ file: ManifestReader.TargetFile, _ detail: String, hint: String? = nil
  ) -> Diagnostic {
    Diagnostic(code, detail, hint: hint, at: file.place, of: .target(file.target))
  }

  private func isSeen(_ file: ManifestReader.TargetFile) -> Bool { looksOutside || !file.isOutside }
  private func isSeen(_ source: Reference) -> Bool { looksOutside || source.surface == nil }
  private func path(_ file: ManifestReader.TargetFile) -> String { absolute(file.path) }
  private func absolute(_ path: String) -> String { world.absolute(path, in: folder) }
}

extension ManifestReader.TargetFile {
  /// Whether it writes the name that a reference into the same file reads.
  fileprivate func writes(into source: Reference) -> Bool {
    guard let selector = source.selector else { return true }
    if names.contains(selector) { return true }
    guard let nested = try? NestedName(selector) else { return false }
    return names.contains(nested.text)
  }
}
