internal import KeyplanFiles
internal import KeyplanLocal
package import KeyplanManifest
package import KeyplanModel
package import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanProviders
internal import KeyplanRemote
package import KeyplanReporting
internal import KeyplanServices

/// A manifest with its location, content and external references.
package struct Project {
  /// Masks the parts of a line that must not be shown.
  package let reader: ManifestReader
  /// The services for its connections.
  let services = ServiceRegistry()
  /// The checks of its keys.
  let checks = CheckRegistry()
  /// The manifest, absolute.
  private let path: String
  /// The manifest's folder, absolute. Relative paths are resolved against it.
  package let folder: String
  /// The manifest's path for messages.
  package let shown: String
  /// The environment in use; nil for the one without a name.
  package let environment: String?
  /// The parsed manifest; nil if it has errors.
  package let reading: ManifestReader.Reading
  private let opened: Moment
  /// Whether each apply writes the store's serial to `keyplan.lock`.
  package var pinsSerial: Bool { reading.settings.pinsSerial }
  /// The bytes of the manifest's files, in the order in which they are merged.
  package let texts: [ManifestReader.Text]

  /// Finds and reads the manifest and the overlay of the environment.
  /// - Throws: `Failure` if there is none, or if the choice of an environment is missing.
  package init(in world: World) throws(Failure) {
    path = try Self.find(in: world)
    shown = Self.relative(path, to: world.directory)
    folder = Self.parent(of: path)
    let base = ManifestReader.Text(file: shown, bytes: try Self.read(path))
    reader = Self.reader(services, checks)
    let overlays = Self.overlays(of: path, in: world)
    var choice = EnvironmentChoice(in: world, among: overlays)
    if choice == nil, !overlays.isEmpty {
      // Each environment has a store with permissions of its own: a pull request must not choose another one.
      guard try world.checkout() == .trusted else {
        throw EnvironmentChoice.missing(among: overlays, of: shown, in: folder, isTrusted: false, of: world)
      }
      guard let name = reader.read(base: base).settings.defaultEnvironment else {
        throw EnvironmentChoice.missing(among: overlays, of: shown, in: folder, isTrusted: true, of: world)
      }
      choice = EnvironmentChoice(name, among: overlays)
    }
    opened = world.now
    environment = choice?.name
    guard let environment else {
      texts = [base]
      reading = reader.read(base: base, judging: Self.judge(path, nil, in: world))
      return
    }
    guard overlays.contains(environment) else {
      throw EnvironmentChoice.unknown(environment, among: overlays, of: path, in: world)
    }
    let overlayPath = Self.overlayPath(of: path, environment)
    let overlay = ManifestReader.Text(
      file: Self.relative(overlayPath, to: world.directory), bytes: try Self.read(overlayPath))
    texts = [base, overlay]
    reading = reader.read(
      base: base, overlay: overlay, environment: environment,
      judging: Self.judge(path, environment, in: world))
  }

  /// Looks at the files that the manifest's targets write.
  private static func judge(
    _ path: String, _ environment: String?, in world: World
  ) -> (ManifestReader.NamedFiles, ManifestReader.Settings) -> [Diagnostic] {
    { files, settings in
      guard !files.targets.isEmpty else { return [] }
      let own = OwnFiles(manifest: path, settings, environment: environment, in: world)
      return TargetFiles(files, own, folder: parent(of: path), in: world).diagnostics
    }
  }

  /// Errors about dates that are in the future.
  package var futureDates: [Diagnostic] { reading.manifest?.futureDates(at: opened) ?? [] }

  /// The files that keyplan itself uses here.
  package func ownFiles(in world: World) -> OwnFiles {
    OwnFiles(manifest: path, reading.settings, environment: environment, in: world)
  }

  /// The manifest, if it is valid.
  package func manifest() throws(Rejected) -> Manifest {
    guard let manifest = reading.manifest else { throw Rejected(project: self) }
    return manifest
  }

  /// The manifest has errors; they are in the reading.
  package struct Rejected: Error {
    package let project: Project
  }

  package static func reader(_ world: World, _ folder: String) -> ManifestReader {
    reader(ServiceRegistry(), CheckRegistry())
  }

  private static func reader(_ services: ServiceRegistry, _ checks: CheckRegistry) -> ManifestReader {
    ManifestReader(
      catalog: ManifestReader.Catalog(names: ProviderCatalog.builtIn.names) {
        ProviderCatalog.builtIn.provider(named: $0)
      } check: { name, address, node in
        result { () throws(DescriptionFaults) in try checks.declare(name, at: address, node) }
      },
      secretPrefixes: SecretPrefixes.builtIn,
      backends: LocalBackends.descriptions,
      services: ManifestReader.Services(names: RemoteBackends.names) {
        RemoteBackends.description($0)
      } declare: { name, node in
        result { () throws(DescriptionFaults) in try services.declare(name, node) }
      })
  }

  private static func result<Value>(
    _ read: () throws(DescriptionFaults) -> Value
  ) -> Result<Value, ManifestReader.Services.Faults> {
    do throws(DescriptionFaults) {
      return .success(try read())
    } catch {
      return .failure(.init(error.all.map { .init(path: $0.path, detail: $0.detail, hint: $0.hint) }))
    }
  }
}
