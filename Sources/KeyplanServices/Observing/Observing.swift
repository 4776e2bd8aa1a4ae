import KeyplanJSON
import KeyplanModel
import KeyplanSecrets

extension PlaceSession {
  /// The entries of the place under these names.
  /// - Parameter forValues: whether only values are wanted, so that only these names need to be requested.
  /// - Throws: the reason that the place as a whole cannot be read.
  package func observe(_ names: [String], forValues: Bool = false) async throws(RemoteFailure) -> [String: EntryFinding]
  {
    var found: [String: EntryFinding] = [:]
    let readsAlone = api.read.map { $0.request.variables.isDisjoint(with: ["id", "version"]) } ?? false
    if forValues, let many = api.readMany {
      found = try await readMany(many, names)
    } else if let list = api.list, !(forValues && readsAlone) {
      let contents = try await contents(list)
      for name in names { found[name] = contents[identity(of: name)] ?? .missing }
    } else if let many = api.readMany {
      found = try await readMany(many, names)
    } else {
      try await identify()
    }
    guard let read = api.read else { return found }
    var entries: [String: ServiceEntry] = [:]
    for name in names {
      switch found[name] {
      case nil: entries[name] = ServiceEntry(name: name)
      case .found(let entry) where entry.value == nil && !entry.isHidden && !entry.isOther: entries[name] = entry
      case .found, .vacant, .missing, .failed: continue
      }
    }
    return found.merging(try await self.read(read, entries)) { $1 }
  }

  /// Reads single entries, as many at the same time as the connection's turnstile lets through.
  private func read(
    _ read: SecretAPI.Read, _ entries: [String: ServiceEntry]
  ) async throws(RemoteFailure) -> [String: EntryFinding] {
    typealias Answer = (name: String, result: Result<EntryFinding, RemoteFailure>)
    let result: Result<[String: EntryFinding], RemoteFailure> = await withTaskGroup(of: Answer.self) { group in
      for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
        group.addTask { [self] in
          do throws(RemoteFailure) {
            return (name, .success(try await self.read(read, entry)))
          } catch {
            return (name, .failure(error))
          }
        }
      }
      var found: [String: EntryFinding] = [:]
      for await answer in group {
        switch answer.result {
        case .success(let finding): found[answer.name] = finding
        case .failure(let failure):
          // The other names would have it, too.
          group.cancelAll()
          return .failure(failure)
        }
      }
      return .success(found)
    }
    return try result.get()
  }

  private func readMany(_ read: SecretAPI.Read, _ names: [String]) async throws(RemoteFailure) -> [String: EntryFinding]
  {
    var found: [String: EntryFinding] = [:]
    let size = max(1, read.most ?? 50)
    for start in stride(from: 0, to: names.count, by: size) {
      let chunk = Array(names[start..<min(start + size, names.count)])
      var extra = Bindings()
      extra["names"] = .list(chunk)
      let contents = try await contents(read, extra, [.names: chunk.map { SetItem(name: $0) }])
      for name in chunk {
        let absent =
          read.omitsMissing
          ? EntryFinding.missing : .failed(AccessFailure(.unreadable, RemoteMessages.notAnswered))
        found[name] = contents[identity(of: name)] ?? absent
      }
    }
    return found
  }

  /// Reads one entry and merges it with the entry of a list.
  /// - Throws: a failure that other names would have, too.
  private func read(_ read: SecretAPI.Read, _ known: ServiceEntry) async throws(RemoteFailure) -> EntryFinding {
    var bindings = try await bindings(for: read.request.variables)
    bindings["name"] = .text(known.name)
    bindings["id"] = known.id.map { .text($0) }
    bindings["version"] = known.version
    let answer: ClassifiedAnswer
    do throws(RemoteFailure) {
      answer = try await sender.send(read.request, .read, bindings, needsJSON: true)
    } catch  where error.answer == .refused {
      return .failed(error.asAccess)
    }
    if answer.meaning == .missing { return .missing }
    guard answer.meaning == .ok, let json = answer.json else {
      let failure = sender.failure(answer)
      if failure.answer == .unauthenticated || failure.answer.isTransient { throw failure }
      return .failed(failure.asAccess)
    }
    guard case .entry(let shape) = read.shape else { return .failed(wrongShape.asAccess) }
    let shown: ServiceEntry
    switch entry(shape, named: known.name, json.root, nil, json, bindings) {
    case .found(let entry): shown = entry
    case .vacant: return .missing
    case .missing, .failed: return .failed(wrongShape.asAccess)
    }
    var entry = known
    entry.value = shown.value
    entry.isOther = shown.isOther
    entry.isHidden = shown.isHidden
    entry.mark = shown.mark ?? known.mark
    entry.version = shown.version ?? known.version
    entry.id = shown.id ?? known.id
    if shape.value != nil, shown.value == nil, !shown.isHidden, !isValue(json.root, shape, json) {
      // The answer is JSON, but nothing of a secret is in it.
      return .failed(wrongShape.asAccess)
    }
    return .found(entry)
  }

  /// Whether the entry has something where its value should be.
  private func isValue(_ node: JSONNode, _ shape: SecretAPI.EntryShape, _ json: JSONAnswer) -> Bool {
    guard let extract = shape.value, case .pointer(let pointer) = extract.origin else { return false }
    return json.values(at: pointer, in: node).contains { if case .null = $0.content { false } else { true } }
  }
}
