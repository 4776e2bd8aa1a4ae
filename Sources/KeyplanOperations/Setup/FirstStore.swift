package import KeyplanReporting

/// The first store of a project that has a manifest and never had a store.
package enum FirstStore {
  /// Whether it is missing, so that a person can be asked whether to create it. One that is elsewhere, or was lost, is not replaced.
  package static func isMissing(for workspace: Workspace) throws(Failure) -> Bool {
    let (place, world) = (workspace.place, workspace.world)
    guard workspace.store == nil, workspace.checkout == .trusted, !place.isNone, place.pin == nil,
      let file = place.file, !world.fileExists(file)
    else { return false }
    return try StoreSigns.found(for: workspace.project, in: world) == nil
  }

  /// The file of the identity that is created with it, for messages; nil if there is an identity already.
  package static func missingIdentity(in world: World) -> String? {
    guard world.variable("KEYPLAN_IDENTITY") == nil || world.settings.identity != nil else { return nil }
    let path = world.settings.identity.map { world.absolute($0) } ?? Identities.path(in: world)
    return world.fileExists(path) ? nil : path
  }
}
