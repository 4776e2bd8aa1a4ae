internal import KeyplanDocuments
internal import KeyplanManifest
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanStore

/// The destination of a move, and the setting that names it.
package struct StoreDestination {
  package let place: ResolvedStore
  /// The required value of `store` in the manifest; nil if none is required.
  package let setting: String?
  /// The manifest file that sets it for this environment.
  package let file: String
  /// Whether the manifest has this value already.
  package let isSet: Bool
  /// Whether the manifest has another value.
  package let isOther: Bool
  /// Whether tables are missing there.
  package let makesTables: Bool

  /// - Parameter text: an address or a file; nil for the default file.
  package init(
    _ text: String?, of project: Project, _ from: ResolvedStore, in world: World
  ) throws(Failure) {
    place = try ResolvedStore(to: text, of: project, in: world)
    guard !place.isSame(as: from) else {
      throw Failure(
        .usage, "Already there", "The store is already at \(from.shown).",
        hint: "Name another place with --to. The store to move is the one that `store` in the manifest, "
          + "KEYPLAN_STORE or --store names.")
    }
    if let text, let file = place.file, let role = TakenFiles(project, in: world).role(of: file, for: .store) {
      throw .taken(text, role, by: "--to", "Store")
    }
    let settings = project.reading.settings.store
    setting = place.setting(of: text, in: project)
    isSet = settings == setting
    // An overlay overrides the manifest; a `store` to be removed is removed from the file that has it.
    let own = project.texts.last?.file ?? project.shown
    let holder = project.texts.last { text in
      (try? YAMLDocument(text.bytes))?.names.contains("store") == true
    }?.file
    file = setting == nil ? holder ?? own : own
    isOther = settings != nil && !isSet && holder == file
    makesTables = try place.shared.map { shared throws(Failure) in try !Failure.from(shared.hasTables) } ?? false
  }
}

extension ResolvedStore {
  /// Nil for a file.
  package var shared: SharedStore? {
    if case .shared(let shared) = location { shared } else { nil }
  }

  /// The place as named for users of other machines.
  package var lasting: String { file ?? shared?.address.lasting ?? shown }

  /// The required value of `store` in the manifest; nil if none is required.
  /// - Parameter address: the name of a place on a server.
  package func setting(of address: String?, in project: Project) -> String? {
    guard let file else { return address }
    let isDefault = file == Self.defaultFile(in: project.folder, project.environment)
    return isDefault ? nil : Project.relative(file, to: project.folder)
  }

  package func isSame(as other: ResolvedStore) -> Bool {
    switch (location, other.location) {
    case (.file(let mine), .file(let others)): mine == others
    case (.shared(let mine), .shared(let others)): mine.address.identity == others.address.identity
    default: false
    }
  }

}
