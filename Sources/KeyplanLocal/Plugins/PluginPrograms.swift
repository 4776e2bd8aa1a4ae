package import KeyplanAge

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs the programs of age plugins, from `PATH` without the work tree, in private empty directories.
///
/// Synchronous, as opening a store is: it must continue while all threads of Swift's pool wait for stores.
package struct PluginPrograms: PluginRunning {
  private let searches: [ProgramSearch]
  private let environment: [String: String]
  private let clock: Clock
  private let ask: @Sendable (PluginName, PluginQuestion) -> PluginAnswer?

  /// Time as plugins' deadlines see it.
  package struct Clock: Sendable {
    /// The time limit for a plugin, without the time spent on questions to a person. Touching a token is part of it.
    package let patience: Duration
    package let now: @Sendable () -> Duration

    package init(patience: Duration, now: @escaping @Sendable () -> Duration) {
      (self.patience, self.now) = (patience, now)
    }

    package static let system = Clock(patience: .seconds(120)) {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }

  /// - Parameters:
  ///   - contexts: no program in the work tree of any of them is run. The first has the variables.
  ///   - ask: asks a person. Returns nil after an interruption.
  package init(
    _ contexts: [SourceContext], clock: Clock = .system,
    asking ask: @escaping @Sendable (PluginName, PluginQuestion) -> PluginAnswer?
  ) {
    searches = contexts.map { ProgramSearch(in: $0) }
    environment = searches.first?.environment([], from: contexts.first?.variables ?? [:]) ?? [:]
    (self.clock, self.ask) = (clock, ask)
  }

  /// The absolute path of a plugin's program; nil if it was not found.
  package func path(of plugin: PluginName) -> String? {
    guard let first = searches.first else { return nil }
    return first.paths(of: plugin.program).first { path in !searches.contains { $0.isInside(path) } }
  }

  package func run<Exchange: PluginExchange>(
    _ plugin: PluginName, _ exchange: Exchange
  ) throws(AgeError) -> Exchange {
    guard let path = path(of: plugin) else { throw .plugin(plugin, .notFound) }
    guard let directory = WorkingDirectory(in: environment) else {
      throw .plugin(plugin, .notRun("a temporary directory cannot be created in TMPDIR"))
    }
    defer { directory.remove() }
    do throws(PluginFault) {
      let process = try ChildProcess(
        path, ["--age-plugin=\(Exchange.machine)"], environment: environment, directory: directory.path)
      defer { process.end() }
      var conversation = PluginConversation(exchange, with: process, clock) { ask(plugin, $0) }
      return try conversation.run()
    } catch {
      throw .plugin(plugin, error)
    }
  }
}
