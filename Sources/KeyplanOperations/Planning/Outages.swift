internal import FoundationEssentials
internal import KeyplanFiles
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanReporting

/// The start of each outage. Drift keeps no state, and the store contains only the last apply, which may be months ago; so this is kept
/// between drift runs, outside the store. Refreshes of all accounts have their own file: a refresh requests tokens, drift uses them.
package struct Outages: Codable, Equatable, Sendable {
  private var formatVersion = 1
  private var unreachable: [Entry] = []

  package struct Entry: Codable, Hashable, Sendable {
    package let address: Address
    /// ISO 8601: when drift first did not reach it, and has not since.
    package let since: String
  }

  private static let limit = 16 << 20

  /// No known outages.
  package init() {}

  /// The places unreachable according to these, each since the time in `earlier`. Starts over if the clock was set back.
  package init(_ diagnostics: [Diagnostic], after earlier: Outages, at now: Moment) {
    self.init(of: Set(diagnostics.filter { $0.code.mayPass }.compactMap(\.address)), after: earlier, at: now)
  }

  /// The same for the addresses that are unreachable now.
  package init(of addresses: Set<Address>, after earlier: Outages, at now: Moment) {
    unreachable = addresses.sorted().map { address in
      let began = earlier.since[address] ?? now
      return Entry(address: address, since: min(began, now).description)
    }
  }

  package var since: [Address: Moment] {
    Dictionary(unreachable.compactMap { entry in Moment(entry.since).map { (entry.address, $0) } }) { first, _ in first
    }
  }

  /// Separates outages that have lasted longer than this from those to ignore.
  package func part(
    _ diagnostics: [Diagnostic], after patience: Interval, at now: Moment, style: Style = Style()
  ) -> (counted: [Diagnostic], passing: [Outage]) {
    let since = since
    var (counted, passing): ([Diagnostic], [Outage]) = ([], [])
    for diagnostic in diagnostics {
      guard diagnostic.code.mayPass, let address = diagnostic.address, let began = since[address] else {
        counted.append(diagnostic)
        continue
      }
      if now < began + patience {
        passing.append(Outage(diagnostic, since: began, until: began + patience))
      } else {
        counted.append(began < now ? diagnostic.adding("Unreachable since \(style.time(began)).") : diagnostic)
      }
    }
    return (counted, passing)
  }

  /// The path of the file: in the state directory, since the user may only read the store.
  package static func path(of store: StoreState, in world: World) -> String {
    "\(world.state)/outages-\(store.id).json"
  }

  /// The path of the file for outages during token refreshes.
  package static func path(refreshing store: StoreState, in world: World) -> String {
    "\(world.state)/outages-\(store.id)-refresh.json"
  }

  /// Updates the stored outages with the current ones. Nil if that fails: an outage that
  /// is reported too early is better than one that is never reported.
  package static func noting(
    at path: String, in world: World, _ follow: (_ earlier: Outages) -> Outages
  ) -> Outages? {
    var (earlier, trouble): (Outages?, Failure?) = (nil, nil)
    do throws(Failure) { earlier = try Outages(reading: path) } catch { trouble = error }
    let outages = follow(earlier ?? Outages())
    if outages != earlier {
      do { try outages.write(to: path) } catch { trouble = trouble ?? error as? Failure }
    }
    guard let trouble else { return outages }
    world.console.warn(
      Warning(trouble.summary, "\(trouble.detail) Outages count immediately, as without --unreachable-after."))
    return nil
  }

  /// - Throws: `Failure` if the file does not contain outages. If there is no file, none are known.
  package init(reading path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.read(path, limit: Self.limit)
    } catch {
      if error.code == .notFound {
        self.init()
        return
      }
      throw Self.failure(error.description + ".")
    }
    guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)), read.formatVersion == 1,
      read.unreachable.allSatisfy({ Moment($0.since) != nil })
    else { throw Self.failure("\(path) is not an outage state file; it is ignored and replaced.") }
    self = read
  }

  package func write(to path: String) throws {
    do {
      try StateFile.write(self, to: path)
    } catch let error as FileError {
      throw Self.failure(error.description + ".")
    }
  }

  private static func failure(_ detail: String) -> Failure {
    Failure(.failed, "Cannot read or write the outage state", detail)
  }
}

extension Diagnostic.Code {
  /// Whether it may resolve by itself. Without a token, an account cannot be checked.
  fileprivate var mayPass: Bool { isUnreachable || self == .accountNotAsked }
}
