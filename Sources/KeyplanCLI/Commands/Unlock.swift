internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanStore

/// Who holds the lock.
struct Unlock: Command {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Show who holds the store's lock, where, and since when.",
    usage: "keyplan unlock [<options>]",
    discussion: """
      A local lock ends with its holder, however that ends, so there is nothing to break: a dead holder is no holder, and \
      a hung one is ended by ending its process.

      For example:
        keyplan unlock
      """)

  @OptionGroup var options: GlobalOptions

  func run(in world: World) async throws -> Int32 {
    let place = try StorePlace(options, in: world)
    let holder: StoreLock.Holder?
    do throws(StoreError) {
      holder = try StoreLock.holder(of: place.path)
    } catch {
      throw Failure(error)
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
    return ExitStatus.locked.rawValue
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
  }
}

extension LockDocument.Holder {
  init(_ holder: StoreLock.Holder) {
    self.init(
      process: Int(holder.process), host: holder.host, since: holder.since.description, command: holder.command)
  }
}
