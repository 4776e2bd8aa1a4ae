internal import KeyplanApply
internal import KeyplanDocuments
internal import KeyplanManifest
package import KeyplanReporting
package import KeyplanStore

/// Where a store is to be moved, and how it is found there.
package struct StoreDestination {
  package let place: ResolvedStore
  /// What `store` in the manifest has to say; nil where that word is not needed.
  package let setting: String?
  /// The file of the manifest that says it for this environment.
  package let file: String
  /// Whether the manifest says it already.
  package let isSet: Bool
  /// Whether the manifest says something else.
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
        .usage, "Nowhere to move", "The store is at \(from.shown) already.",
        hint: "Name another place with --to. Where the store is moved from is what `store` in the manifest, "
          + "KEYPLAN_STORE or --store says.")
    }
    if let text, let file = place.file, let role = TakenFiles(project, in: world).role(of: file, for: .store) {
      throw .taken(text, role, by: "--to", "Store")
    }
    let settings = project.reading.settings.store
    setting = place.setting(of: text, in: project)
    isSet = settings == setting
    // An overlay goes before the manifest that it lies over; what is to be taken out stands where it stands.
    let own = project.texts.last?.file ?? project.shown
    let holder = project.texts.last { text in
      (try? YAMLDocument(text.bytes))?.names.contains("store") == true
    }?.file
    file = setting == nil ? holder ?? own : own
    isOther = settings != nil && !isSet && holder == file
    makesTables = try place.shared.map { shared throws(Failure) in try Failure.from(shared.tables) != .all } ?? false
  }
}

extension ResolvedStore {
  /// Nil for a file.
  package var shared: SharedStore? {
    if case .shared(let shared) = location { shared } else { nil }
  }

  /// As people are told about it who are not where this runs.
  package var lasting: String { file ?? shared?.address.lasting ?? shown }

  /// What `store` in the manifest has to say for it; nil where that word is not needed.
  /// - Parameter address: how a place on a server is named.
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
