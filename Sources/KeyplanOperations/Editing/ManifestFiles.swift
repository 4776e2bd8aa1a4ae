package import KeyplanDocuments
internal import KeyplanFiles
package import KeyplanManifest
internal import KeyplanModel
package import KeyplanPlanning
package import KeyplanReporting

/// A manifest's files during an edit: the manifest itself and its overlays. Nothing is written before all
/// edited files have been validated.
package struct ManifestFiles {
  /// One of the files.
  package struct File {
    package let path: String
    /// The path for messages.
    package let shown: String
    /// The environment of an overlay; nil for the manifest itself.
    package let environment: String?
    /// The bytes that are in the file.
    package let before: [UInt8]
    /// The edited text.
    package var text: YAMLText

    package var after: [UInt8] { text.bytes }
    package var isChanged: Bool { after != before }
  }

  /// The manifest itself.
  package var base: File
  /// The overlays that the edit may change, sorted by name.
  package var overlays: [File]
  /// The environment that was named: then only its overlay is edited.
  package let environment: String?
  package let reader: ManifestReader

  package init(_ base: File, overlays: [File] = [], environment: String? = nil, reader: ManifestReader) {
    self.base = base
    self.overlays = overlays
    self.environment = environment
    self.reader = reader
  }

  /// Finds and reads the files. Without an environment the manifest itself is edited, for all environments, and all
  /// overlays are looked at; with one, its overlay alone.
  package init(in world: World) throws(Failure) {
    let path = try Project.find(in: world)
    let names = Project.overlays(of: path, in: world)
    // Choosing the manifest alone edits it for all environments, as does no choice at all.
    let environment = EnvironmentChoice(in: world, among: names)?.name
    if let environment, !names.contains(environment) {
      throw EnvironmentChoice.unknown(environment, among: names, of: path, in: world)
    }
    let base = try File(path, nil, in: world)
    var overlays: [File] = []
    for name in names where environment == nil || environment == name {
      overlays.append(try File(Project.overlayPath(of: path, name), name, in: world))
    }
    self.init(
      base, overlays: overlays, environment: environment, reader: Project.reader(world, Project.parent(of: path)))
  }

  /// The file that is edited: the overlay of the environment that was named, or the manifest.
  package var edited: File {
    get { environment == nil ? base : overlays[0] }
    set { if environment == nil { base = newValue } else { overlays[0] = newValue } }
  }

  package var all: [File] { [base] + overlays }
  package var changed: [File] { all.filter(\.isChanged) }

  /// Applies a change to each file; errors include the location.
  package mutating func edit(
    _ file: WritableKeyPath<ManifestFiles, File>, _ change: (inout YAMLText) throws(DocumentError) -> Void
  ) throws(Failure) {
    do throws(DocumentError) {
      try change(&self[keyPath: file].text)
    } catch {
      throw Failure(error, in: self[keyPath: file].shown)
    }
  }

  /// The ways to all files.
  package var ways: [WritableKeyPath<ManifestFiles, File>] {
    [\ManifestFiles.base] + overlays.indices.map { \ManifestFiles.overlays[$0] }
  }
}

extension ManifestFiles.File {
  fileprivate init(_ path: String, _ environment: String?, in world: World) throws(Failure) {
    try self.init(
      path, shown: Project.relative(path, to: world.directory), environment: environment, bytes: try Project.read(path))
  }

  /// - Throws: `Failure` for invalid YAML.
  package init(_ path: String, shown: String, environment: String?, bytes: [UInt8]) throws(Failure) {
    (self.path, self.shown, self.environment, before) = (path, shown, environment, bytes)
    do throws(DocumentError) {
      text = try YAMLText(bytes)
    } catch {
      throw Failure(error, in: shown)
    }
  }
}

extension ManifestFiles {
  /// An environment before and after the edit.
  package struct Environment {
    package let name: String?
    package let before: ManifestReader.Reading
    package let after: ManifestReader.Reading
    fileprivate let texts: (before: [ManifestReader.Text], after: [ManifestReader.Text])
  }

  /// All environments of the files; the one without a name if there are no overlays.
  package func environments() -> [Environment] {
    let uppers: [File?] = overlays.isEmpty ? [nil] : overlays
    return uppers.map { upper in
      func read(_ bytes: (File) -> [UInt8]) -> (ManifestReader.Reading, [ManifestReader.Text]) {
        let texts = [base, upper].compactMap { $0.map { ManifestReader.Text(file: $0.shown, bytes: bytes($0)) } }
        let overlay = upper == nil ? nil : texts.last
        return (reader.read(base: texts[0], overlay: overlay, environment: upper?.environment), texts)
      }
      let (before, after) = (read(\.before), read(\.after))
      return Environment(
        name: upper?.environment, before: before.0, after: after.0, texts: (before.1, after.1))
    }
  }
}

extension ManifestFiles.Environment {
  /// Lines that may be shown, of the text before or after.
  package func lines(isAfter: Bool, _ reader: ManifestReader) -> RedactedLines {
    RedactedLines(isAfter ? texts.after : texts.before, of: isAfter ? after : before, by: reader)
  }

  /// Errors of the edited manifest, and the rules that the edit breaks.
  package var faults: [Diagnostic] {
    guard let manifest = after.manifest else { return after.diagnostics.filter { $0.code.severity == .error } }
    let broken = manifest.brokenRules
    return broken.count > (before.manifest?.brokenRules.count ?? 0) ? broken : []
  }
}

extension Failure {
  /// An edit that the text's form does not allow.
  package init(_ error: DocumentError, in file: String) {
    let place = error.place.map { ":\($0.line):\($0.column)" } ?? ""
    let isForm = error.code == .notEditable
    self.init(
      .failed, isForm ? "Unsupported edit" : "Cannot edit the manifest", "\(file)\(place): \(error.detail)",
      hint: isForm ? "Nothing was written. Edit the file by hand." : nil)
  }
}
