internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes each change immediately as a line of JSON, until a signal arrives or the reader closes its end.
struct ChangeStream {
  private let terminal: Terminal

  init(on terminal: Terminal) { self.terminal = terminal }

  /// Blocks the thread, while a task reads the store.
  /// - Parameter beginning: whether the present state is written first.
  func run(_ items: WatchedItems, of follower: StoreFollower, every interval: Duration, beginning: Bool) {
    SignalPipe.catching([SIGINT, SIGTERM, SIGHUP])
    if beginning, !write(items.present(at: World.now)) { return }
    let task = Task.detached { [self] in await look(items, of: follower, every: interval) }
    defer { task.cancel() }
    while true {
      let (signals, isClosed) = SignalPipe.wait(-1, closing: terminal.out.descriptor)
      if !signals.isEmpty || isClosed || terminal.out.hasLost { return }
    }
  }

  private func look(_ items: WatchedItems, of follower: StoreFollower, every interval: Duration) async {
    let console = WatchConsole(terminal)
    var (items, follower) = (items, follower.reporting(to: console))
    while true {
      await follower.wait(atMost: interval)
      guard !Task.isCancelled else { return }
      do throws(Failure) {
        let recorded = try await follower.recorded()
        console.forget()
        guard write(items.changes(in: recorded, at: World.now)) else { return SignalPipe.wake() }
      } catch {
        console.warn(.notReadable(error, "Changes are reported when it can be read again."))
      }
    }
  }

  /// False if output is lost, or its reader is gone.
  private func write(_ changes: [WatchChange]) -> Bool {
    changes.allSatisfy { change in
      guard var line = try? Document.watch(change) else { return false }
      return line.withUTF8 { terminal.out.write(UnsafeRawBufferPointer($0)) }
    }
  }
}

extension Warning {
  /// - Parameter meanwhile: the behaviour until it can be read.
  static func notReadable(_ failure: Failure, _ meanwhile: String) -> Warning {
    Warning("Store not readable", "\(failure.summary): \(failure.detail) \(meanwhile)", hint: failure.hint)
  }
}
