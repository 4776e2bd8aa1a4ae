internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPorts
public import KeyplanReader
internal import KeyplanReporting

/// Keys without a store: from the sources that the manifest declares (a vault, a cloud, a file), or from one of its targets.
///
/// ```swift
/// let reader = KeyReader(try DeclaredKeys(.sources))
/// let reader = KeyReader(try StoreKeys(), try DeclaredKeys(.target("app")))
/// ```
///
/// The manifest must be as trustworthy as the program: its commands are run, and its services are sent the credentials that it names.
/// Each request signs in at the service, and signs out again.
public struct DeclaredKeys: KeySource {
  /// The place from which keys are read.
  public enum Place: Hashable, Sendable {
    /// The key's `source`, in order; of a slot the first key that has a value.
    case sources
    /// A target of the manifest that shows its values. Slots are not read there.
    case target(String)
  }

  private let settings: Settings
  private let place: Place
  /// The manifest, the environment and the place.
  public let identity: String
  /// The ages that the manifest declares under `cache` of keys.
  public let ages: [APIKeyName: CacheAges]

  /// - Throws: `KeyError` (`backend`) if there is no manifest, or it has errors.
  public init(_ place: Place, manifest: String? = nil, environment: String? = nil) throws(KeyError) {
    var settings = Settings()
    (settings.manifest, settings.environment) = (manifest, environment)
    (self.settings, self.place) = (settings, place)
    do {
      let project = try Project(in: Self.world(settings))
      ages = CacheAges.ages(in: try project.manifest())
      identity = "keyplan manifest \(project.folder) \(project.environment ?? "") \(place)"
    } catch let failure as Failure {
      throw KeyError(.backend, nil, failure.detail, hint: failure.hint)
    } catch {
      throw KeyError(.backend, nil, "The manifest has errors.", hint: "keyplan validate")
    }
  }

  private static func world(_ settings: Settings) -> World {
    World(mask: 0o022, isAttended: false, endsWithOperation: false, settings: settings, console: SilentConsole())
  }

  /// Reads the manifest, then one value.
  public func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer {
    do {
      let reading = try DeclaredReading(in: Self.world(settings))
      let answer: DeclaredReading.Answer
      switch (item, place) {
      case (.key(let name), .sources): answer = try await reading.value(of: name.rawValue)
      case (.key(let name), .target(let target)): answer = try await reading.value(of: name.rawValue, at: target)
      case (.active(let slot), .sources): answer = try await reading.value(inSlot: slot.rawValue)
      case (.active, .target), (.accessToken, _):
        return .refused(.notFound, "Only a store has \(item).", hint: "Use StoreKeys.")
      }
      return Self.answer(answer)
    } catch let failure as Failure {
      return .refused(.backend, failure.detail, hint: failure.hint)
    } catch {
      return .refused(.backend, "The manifest has errors.", hint: "keyplan validate")
    }
  }

  private static func answer(_ answer: DeclaredReading.Answer) -> KeySourceAnswer {
    switch answer {
    case .value(let value, let key, let facts):
      return .value(KeySourceValue(value, name: key.name, provider: facts.provider, variable: facts.variable))
    case .missing(let reason): return .refused(.notFound, reason, hint: nil)
    case .failed(let failure):
      switch failure.kind {
      case .throttled, .sealed, .unreachable:
        return .unreachable(failure.reason, retryAfter: failure.retryAfter.map { .seconds($0.seconds) })
      case .denied, .unauthenticated: return .refused(.denied, failure.reason, hint: failure.hint)
      case .unreadable: return .refused(.backend, failure.reason, hint: failure.hint)
      }
    }
  }
}

extension CacheAges {
  /// Those that a manifest sets.
  static func ages(in manifest: Manifest?) -> [APIKeyName: CacheAges] {
    var ages: [APIKeyName: CacheAges] = [:]
    for (id, key) in manifest?.keys ?? [:] where key.keptFor != KeptFor() {
      let fresh = key.keptFor.fresh.map { Duration.seconds($0.seconds) }
      let stale = key.keptFor.stale.map { Duration.seconds($0.seconds) }
      ages[APIKeyName(id.name)] = CacheAges(
        fresh: fresh ?? min(standard.fresh, stale ?? standard.fresh), stale: stale ?? standard.stale)
    }
    return ages
  }
}
