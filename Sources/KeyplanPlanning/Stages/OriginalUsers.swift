internal import KeyplanModel

/// Other declared users of the places from which values are adopted. Places are compared by their text.
struct OriginalUsers {
  /// One name in a file, or the whole file.
  private struct Spot: Hashable {
    let location: String
    let name: String?

    /// A value has one text, whether its name is a JSON Pointer, a single name or keys separated by `/`.
    init(_ location: String, _ name: String?) {
      self.location = location
      self.name = name.map { name in
        guard let nested = try? NestedName(name) else { return name }
        return nested.parts.joined(separator: "/")
      }
    }
  }

  private var readers: [Spot: Address] = [:]
  /// The first reader of each location.
  private var anyReaders: [String: Address] = [:]
  private var adopters: [Spot: [Migration.Successor]] = [:]
  private var anyAdopters: [String: [Migration.Successor]] = [:]

  init(_ context: PlanningContext, _ claims: [Destination: TargetStage.Claim]) {
    let migrations = context.adoptions.inOrder.map(\.value) + context.takeovers.inOrder.map(\.value)
    let locations = Set(migrations.compactMap { $0.original?.whole })
    for (id, key) in context.manifest.keys.inOrder {
      for source in key.sources where locations.contains(source.whole) {
        add(.key(id), source.whole, source.selector)
      }
    }
    // A client's secret is often in the same file as the token.
    for (id, account) in context.manifest.accounts.inOrder {
      for source in account.secrets.all + [account.token].compactMap(\.self)
      where locations.contains(source.whole) {
        add(.calendar(id), source.whole, source.selector)
      }
    }
    for (destination, claim) in claims.sorted(by: { $0.value.target < $1.value.target })
    where locations.contains(destination.location) {
      for name in claim.names { add(.target(claim.target), destination.location, name) }
    }
    for migration in migrations {
      guard let original = migration.original else { continue }
      adopters[Spot(original.whole, original.selector), default: []].append(migration.successor)
      anyAdopters[original.whole, default: []].append(migration.successor)
    }
  }

  private mutating func add(_ user: Address, _ location: String, _ name: String?) {
    let spot = Spot(location, name)
    if readers[spot] == nil { readers[spot] = user }
    if anyReaders[location] == nil { anyReaders[location] = user }
  }

  /// The address of a declaration that reads or writes a value there; one that uses the whole file uses each name in it.
  func whoReads(_ original: Reference) -> Address? {
    guard original.selector != nil else { return anyReaders[original.whole] }
    return readers[Spot(original.whole, original.selector)] ?? readers[Spot(original.whole, nil)]
  }

  /// The successors that adopt a value there.
  func whoAdopts(_ original: Reference) -> [Migration.Successor] {
    guard original.selector != nil else { return anyAdopters[original.whole] ?? [] }
    return (adopters[Spot(original.whole, original.selector)] ?? [])
      + (adopters[Spot(original.whole, nil)] ?? [])
  }
}
