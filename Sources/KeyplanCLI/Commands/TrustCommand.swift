internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanPorts
internal import KeyplanReporting
internal import KeyplanStore

/// Records a store as trusted on this machine and in `keyplan.lock`.
struct TrustCommand: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Trust the store of this project on this machine.",
    usage: "keyplan trust [--store-id <id> --root <root> [--serial <n>]] [<options>]",
    discussion: """
      Files of the checkout do not decide which store is opened, because a pull request can change them. This \
      machine remembers the stores introduced by `keyplan init`, `keyplan store move` and this command. Run it in \
      a new clone, after the root key was replaced elsewhere, and when keyplan.lock is lost.

      It shows the store and asks for confirmation. Without a terminal, name the store with --store-id and its \
      root key with --root; `keyplan trust` on a machine that knows the store prints both.

      This machine also remembers the newest commit of each store that it has seen, and refuses an older copy, or one \
      that was changed independently. If the newer copy is lost for good, this command accepts the store as it is; \
      without a terminal, with --serial.

      For example:
        keyplan trust
        keyplan trust --store-id 4fda0f8e8e6a4b5d9c3b2a1908f7e6d5 --root 0b1c2d3e4f5061728394a5b6c7d8e9f0
      """
  )
  .parsedAlone

  @Option(help: ArgumentHelp("The expected store id.", valueName: "id"))
  var storeId: String?

  @Option(help: ArgumentHelp("The expected root key.", valueName: "root"))
  var root: String?

  @Option(help: ArgumentHelp("The serial to accept, if this machine saw a later one.", valueName: "n"))
  var serial: Int64?

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard serial == nil || storeId != nil else {
      throw Failure(.usage, "Incomplete store", "--serial requires --store-id and --root.")
    }
    guard (storeId == nil) == (root == nil) else {
      throw Failure(.usage, "Incomplete store", "--store-id and --root must be used together.")
    }
    let place = try ResolvedStore(in: world, isDeliberate: true)
    let identities = try await Identities(in: world)
    OpenStore.log(place, identities, in: world)
    let (facts, description) = try await place.waiting(in: world) {
      [place] () throws(Failure) -> (StoreFacts, [String]) in
      let store: SealedStore
      do throws(StoreError) {
        store = try SealedStore.open(at: place.location, identities: identities.all, access: .reading)
      } catch {
        throw Failure.opening(place, identities, error)
      }
      return (try Failure.from { () throws(StoreError) in try store.facts() }, try place.description(of: store))
    }
    let losses = try place.trust.losses(of: facts)
    let pin = Pin(
      store: facts.id, roots: [facts.rootID], serial: place.pin?.serial == nil ? nil : facts.serial)
    if let storeId, let root {
      guard storeId == facts.id, root == facts.rootID else {
        throw Failure(
          .storeRefused, "Unexpected store",
          "\(place.shown) has the id \(facts.id) and the root key \(facts.rootID), which are not the expected ones.")
      }
      guard serial ?? facts.serial == facts.serial, serial != nil || losses.isEmpty else {
        throw Failure(
          .storeRefused, "Store is older than expected",
          "\(place.shown) is at serial \(facts.serial).\n\(losses.joined(separator: "\n"))",
          hint: "To accept the store as it is, add --serial \(facts.serial).")
      }
    } else {
      let description = description + losses
      if terminal.mayAsk {
        terminal.err.write((description.map { "  \($0)\n" } + ["\n"]).joined())
      } else {
        terminal.out.write(description.map { "\($0)\n" }.joined())
      }
      try terminal.confirm(
        "Trust this store?",
        orSay:
          "Compare these with a colleague's output, then pass them: --store-id \(facts.id) --root \(facts.rootID)"
          + (losses.isEmpty ? "" : " --serial \(facts.serial)"),
        declined: Failure(.interrupted, "Store not trusted", "Nothing was changed."))
    }
    try place.remember(pin)
    try place.trust.accept(facts)
    if !terminal.isQuiet {
      terminal.out.write(
        "Trusted: \(place.shown) is now this project's store on this machine and is recorded in keyplan.lock.\n")
    }
    return ExitStatus.done.rawValue
  }
}
