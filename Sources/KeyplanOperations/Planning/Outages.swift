internal import FoundationEssentials
package import KeyplanCore
internal import KeyplanFiles
package import KeyplanReporting

/// Since when what cannot be reached has not been reached. Drift looks and forgets, and the store knows only the last
/// apply, which may be months ago; so this one thing is remembered from one drift to the next, outside the store. So it
/// is from one refresh of all accounts to the next, apart from drift: the one asks for tokens, the other with them.
package struct Outages: Codable, Equatable, Sendable {
  private var formatVersion = 1
  private var unreachable: [Entry] = []

  package struct Entry: Codable, Hashable, Sendable {
    package let address: Address
    /// ISO 8601: when drift first did not reach it, and has not since.
    package let since: String
  }

  private static let limit = 16 << 20

  /// Nothing is known to be unreachable.
  package init() {}

  /// What these say is unreachable, each since `earlier` began to say so. A clock that went back starts it anew.
  package init(_ diagnostics: [Diagnostic], after earlier: Outages, at now: Moment) {
    self.init(of: Set(diagnostics.filter { $0.code.mayPass }.compactMap(\.address)), after: earlier, at: now)
  }

  /// The same of what could not be reached just now.
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

  /// Parts what is said about things that have not been reached for longer than this from what may pass.
  package func part(
    _ diagnostics: [Diagnostic], after patience: Interval, at now: Moment, style: Style = Style()
  ) -> (told: [Diagnostic], passing: [Outage]) {
    let since = since
    var (told, passing): ([Diagnostic], [Outage]) = ([], [])
    for diagnostic in diagnostics {
      guard diagnostic.code.mayPass, let address = diagnostic.address, let began = since[address] else {
        told.append(diagnostic)
        continue
      }
      if now < began + patience {
        passing.append(Outage(diagnostic, since: began, until: began + patience))
      } else {
        told.append(began < now ? diagnostic.adding("Not reached since \(style.time(began)).") : diagnostic)
      }
    }
    return (told, passing)
  }

  /// Where they are remembered: in the state directory, since a store may be read-only for whoever asks about drift.
  package static func path(of store: StoreState, in world: World) -> String {
    "\(world.state)/outages-\(store.id).json"
  }

  /// Where those are remembered that were met in getting tokens.
  package static func path(refreshing store: StoreState, in world: World) -> String {
    "\(world.state)/outages-\(store.id)-refresh.json"
  }

  /// What is out of reach now, after what is remembered there, and remembers it. Nil where that cannot be: an outage that
  /// is told too early is better than one that never is.
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
      Warning(trouble.summary, "\(trouble.detail) Unreachable places count at once, as without --unreachable-after."))
    return nil
  }

  /// - Throws: `Failure` for what holds no outages. None are known where there is no file.
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
    else { throw Self.failure("\(path) is not a file of outages; it is ignored and replaced.") }
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
  /// Whether it may be over by itself. Where no token could be had, an account cannot be asked.
  fileprivate var mayPass: Bool { isUnreachable || self == .accountNotAsked }
}
