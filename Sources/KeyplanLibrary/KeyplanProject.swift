internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// A project that another program plans and applies: a manifest, its store, and an identity that opens it.
///
/// Prints nothing and does not prompt. Cancelling the calling task ends all waits, after the running steps.
public struct KeyplanProject: Sendable {
  @Indirect private var workspace: Workspace

  /// The project to open.
  public struct Options: Sendable {
    /// The manifest's path; nil to look for `keyplan.yaml` in the working directory and above it.
    public var manifest: String?
    /// The environment's name; nil for the one that the manifest chooses.
    public var environment: String?
    /// A path or `postgres://` address, instead of the store that the manifest names.
    public var store: String?
    /// The path of an age identity; nil for KEYPLAN_IDENTITY or the person's own file.
    public var identity: String?
    /// The maximum time to wait for a lock that another process holds.
    public var lockTimeout: Duration = .seconds(60)
    /// Whether the files of the checkout were reviewed. In a checkout that is not trusted, planning runs no program from it and
    /// compares no value with anything that it chose; nil to use KEYPLAN_CHECKOUT.
    public var isTrusted: Bool?

    /// The project of the working directory.
    public init() {}
  }

  /// Reads the manifest, and opens its store for reading.
  /// - Throws: `KeyplanError`, also for a manifest with errors.
  public static func open(_ options: Options = Options()) async throws(KeyplanError) -> KeyplanProject {
    var settings = Settings()
    (settings.manifest, settings.environment) = (options.manifest, options.environment)
    (settings.store, settings.identity) = (options.store, options.identity)
    settings.lockTimeout = options.lockTimeout
    let world = World(
      mask: 0o022, isAttended: false, endsWithOperation: false, settings: settings, console: SilentConsole())
    let checkout = options.isTrusted.map { $0 ? Checkout.trusted : .untrusted }
    do {
      return KeyplanProject(workspace: try await Workspace(in: world, as: checkout))
    } catch {
      throw KeyplanError(error)
    }
  }

  /// Compares the manifest, the store, and the state of the sources and targets. Changes nothing.
  /// - Parameter addresses: the addresses to plan, such as `key.NAME` or `target.NAME`; empty for everything.
  /// - Throws: `KeyplanError`, also for an address that is neither declared nor recorded.
  public func plan(only addresses: [String] = []) async throws(KeyplanError) -> KeyplanPlan {
    do {
      let addresses = try addresses.map { text in
        guard let address = Address(text) else {
          throw Failure(.usage, "Invalid address", "\"\(text)\" is not an address such as key.NAME.")
        }
        return address
      }
      let run = try await PlanRun(workspace, only: addresses)
      await workspace.world.signIns.end()
      return KeyplanPlan(run)
    } catch {
      await workspace.world.signIns.end()
      throw KeyplanError(error)
    }
  }

  /// Carries a plan out under the store's lock. Steps whose state has changed since planning are refused as stale.
  /// - Throws: `KeyplanError` if an error blocks the whole plan, or if the store cannot be locked or written. The result of each step
  ///   is in the outcome.
  public func apply(_ plan: KeyplanPlan) async throws(KeyplanError) -> KeyplanOutcome {
    do {
      let (_, identities) = try plan.run.needStore()
      guard !plan.run.isHeldBack else {
        throw Failure(.failed, "Plan is blocked", plan.problems.filter(\.isError).map(\.detail).joined(separator: "\n"))
      }
      let timeout = workspace.world.settings.lockTimeout
      let result = try await ApplyRun(plan.run, identities, timeout: timeout, as: "a program").run()
      await workspace.world.signIns.end()
      return KeyplanOutcome(result)
    } catch {
      await workspace.world.signIns.end()
      throw KeyplanError(error)
    }
  }

  /// Compares the records with the current state. Pending changes of the manifest are not drift. Changes nothing.
  /// - Throws: `KeyplanError` if the store does not exist yet.
  public func drift() async throws(KeyplanError) -> KeyplanDrift {
    do {
      return KeyplanDrift(try await DriftRun(workspace, DriftFilter()))
    } catch {
      throw KeyplanError(error)
    }
  }
}
