internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanStore

/// Who holds the lock, and taking it from him.
struct Unlock: Command {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Show who holds the store's lock, where, and since when.",
    usage: "keyplan unlock [<id>] [<options>]",
    discussion: """
      A local lock ends with its holder, however that ends, so there is nothing to break: a dead holder is no holder, and \
      a hung one is ended by ending its process.

      The lock of a store on a server ends 15 seconds after its holder was last heard of. With the id that is shown it is \
      taken from a holder who is still heard of: his next write to the store is refused, and nothing is lost.

      For example:
        keyplan unlock
        keyplan unlock 42
      """
  )
  .parsedAlone

  @Argument(help: ArgumentHelp("The lock to break, by the id that is shown.", valueName: "id"))
  var id: Int64?

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let place = try StorePlace(options, in: world)
    if let id { return try end(id, place, in: world) }
    let holder = try await place.waiting { () throws(Failure) in
      try Failure.from { () throws(StoreError) in try StoreLock.holder(of: place.location) }
    }
    guard !options.isJSON(in: world) else {
      world.out.write(try Document.text(LockDocument(holder: holder.map(LockDocument.Holder.init))))
      return (holder == nil ? ExitStatus.done : .locked).rawValue
    }
    guard let holder else {
      world.out.write("Nobody holds the lock of \(place.shown).\n")
      return ExitStatus.done.rawValue
    }
    world.out.write(
      "\(place.shown) is locked by process \(holder.process) on \(holder.host) since \(holder.since): \(holder.command)\n"
    )
    if let job = holder.job { world.out.write("  job         \(job)\n") }
    if let silence = holder.silence, let id = holder.id {
      world.out.write("  last heard  \(silence) s ago\n  break it    keyplan unlock \(id)\n")
    }
    return ExitStatus.locked.rawValue
  }

  private func end(_ id: Int64, _ place: StorePlace, in world: World) throws -> Int32 {
    guard case .shared(let shared) = place.location else {
      throw Failure(
        .usage, "Nothing to break", "The lock of a store in a file ends with its holder.",
        hint: "`keyplan unlock` says who that is: end the process.")
    }
    guard try Failure.from({ () throws(StoreError) in try StoreLock.breakLease(id, of: shared) }) else {
      throw Failure(
        .failed, "No such lock", "Nobody holds a lock with the id \(id).",
        hint: "`keyplan unlock` shows who holds which.")
    }
    guard !options.isJSON(in: world) else {
      world.out.write(try Document.text(LockDocument(holder: nil)))
      return ExitStatus.done.rawValue
    }
    world.out.write("The lock \(id) of \(place.shown) is broken: its holder writes nothing more.\n")
    return ExitStatus.done.rawValue
  }
}

/// `schemas/unlock.schema.json`.
struct LockDocument: Encodable {
  let formatVersion = 1
  /// Absent while nobody holds it.
  let holder: Holder?

  struct Holder: Encodable {
    let process: Int
    let host: String
    let since: String
    let command: String
    var id: Int?
    var job: String?
    var silentFor: Int?
  }
}

extension LockDocument.Holder {
  init(_ holder: StoreLock.Holder) {
    self.init(
      process: Int(holder.process), host: holder.host, since: holder.since.description, command: holder.command,
      id: holder.id.map { Int($0) }, job: holder.job, silentFor: holder.silence.map { Int($0) })
  }
}
