package import KeyplanJSON
import KeyplanModel
import KeyplanSecrets

extension PlaceSession {
  package func identity(of name: String) -> String { api.names?.rule.identity(of: name) ?? name }

  /// Reads every page of a list. An answer in another form than the description's is an error, never a short list.
  package func contents(
    _ read: SecretAPI.Read, _ extra: Bindings = Bindings(), _ sets: ItemSets = [:]
  ) async throws(RemoteFailure) -> PlaceContents {
    try await identify()
    let bindings = try await bindings(for: variables(of: read)).merging(extra)
    var contents = PlaceContents()
    for answer in try await pages(read, bindings, sets) {
      guard answer.meaning != .missing, let json = answer.json else { continue }
      for entries in read.entries { try collect(entries, json, bindings, into: &contents) }
      if let failed = read.failed { collect(failed, json, bindings, into: &contents) }
    }
    return contents
  }

  private func variables(of read: SecretAPI.Read) -> Set<String> {
    read.entries.reduce(into: read.request.variables) { names, entries in
      names.formUnion(entries.match.variables)
      names.formUnion(entries.expect.variables)
      names.formUnion(entries.shape.variables)
    }
  }

  private func collect(
    _ entries: SecretAPI.Entries, _ json: JSONAnswer, _ bindings: Bindings, into contents: inout PlaceContents
  ) throws(RemoteFailure) {
    guard entries.expect.holds(for: json.root, in: json, bindings) else {
      throw RemoteFailure(.unreadable, RemoteMessages.otherService(host))
    }
    if let pointer = entries.commonVersion { contents.version = version(at: pointer, json) }
    let lists = json.values(at: entries.each, in: json.root)
    guard !lists.isEmpty || entries.absentIsEmpty else { throw wrongShape }
    for list in lists {
      switch (list.content, entries.isObject) {
      case (.array(let elements), false):
        for element in elements { try add(element, nil, entries, json, bindings, to: &contents) }
      case (.object(let members), true):
        for member in members { try add(member.value, member.name, entries, json, bindings, to: &contents) }
      default: throw wrongShape
      }
    }
  }

  private func version(at pointer: AnswerPointer, _ json: JSONAnswer) -> BoundValue? {
    guard let node = json.values(at: pointer, in: json.root).first else { return nil }
    return json.number(node).map { .number($0) } ?? json.text(node).map { .text($0) }
  }

  private func add(
    _ node: JSONNode, _ key: String?, _ entries: SecretAPI.Entries, _ json: JSONAnswer, _ bindings: Bindings,
    to contents: inout PlaceContents
  ) throws(RemoteFailure) {
    guard entries.match.holds(for: node, in: json, bindings) else { return }
    let named: ExtractedValue?
    do throws(Extract.Fault) {
      named = try entries.shape.name?.value(in: node, key: key, of: json, bindings)
    } catch {
      throw wrongShape
    }
    guard named != nil || !entries.mayLackName else { return }
    guard let name = named?.text else { throw wrongShape }
    guard !(api.names?.ignore.contains(name) ?? false) else { return }
    let identity = identity(of: name)
    guard contents.takes(identity, isInherited: entries.isInherited) else { return }
    guard contents[identity] == nil || entries.isInherited else {
      contents[identity] = .failed(AccessFailure(.unreadable, RemoteMessages.duplicateEntry))
      return
    }
    contents[identity] = entry(entries.shape, named: name, node, key, json, bindings, version: contents.version)
  }

  /// The finding for one entry.
  package func entry(
    _ shape: SecretAPI.EntryShape, named name: String, _ node: JSONNode, _ key: String?, _ json: JSONAnswer,
    _ bindings: Bindings, version: BoundValue? = nil
  ) -> EntryFinding {
    var entry = ServiceEntry(name: name)
    entry.kept = KeptEntry(answer: json, node: node)
    do throws(Extract.Fault) {
      entry.id = try shape.id?.value(in: node, key: key, of: json, bindings)?.text
      entry.mark = try shape.mark?.value(in: node, key: key, of: json, bindings)?.text
      switch try shape.version?.value(in: node, key: key, of: json, bindings) {
      case .number(let number): entry.version = .number(number)
      case let other: entry.version = other?.text.map { .text($0) } ?? version
      }
      entry.isHidden = shape.writeOnlyIf?.holds(for: node, in: json, bindings) ?? false
      entry.isShared = shape.writableIf.map { !$0.holds(for: node, in: json, bindings) } ?? false
      if let value = shape.value, !entry.isHidden {
        switch try value.value(in: node, key: key, of: json, bindings) {
        case .string(let secret): entry.value = secret
        case nil, .number, .bool, .other: entry.isOther = true
        }
      }
    } catch {
      return .failed(wrongShape.asAccess)
    }
    let isVacant =
      shape.vacantIf?.holds(for: node, in: json, bindings) ?? false
      || !(shape.vacantUnless?.holds(for: node, in: json, bindings) ?? true)
    return isVacant ? .vacant(entry) : .found(entry)
  }

  private func collect(
    _ failed: SecretAPI.Failures, _ json: JSONAnswer, _ bindings: Bindings, into contents: inout PlaceContents
  ) {
    for failure in failed.failures(in: json, bindings) {
      guard let name = failure.name else { continue }
      contents[identity(of: name)] =
        failure.meaning == .missing
        ? .missing
        : .failed(RemoteFailure(failure.meaning ?? .unreadable, RemoteMessages.failedAlone(host)).asAccess)
    }
  }

  package var wrongShape: RemoteFailure { RemoteFailure(.unreadable, RemoteMessages.wrongShape(host)) }
}

extension SecretAPI.Failures {
  /// The names that failed, with their meanings; nil where the answer does not say.
  package func failures(in json: JSONAnswer, _ bindings: Bindings) -> [(name: String?, meaning: AnswerClass?)] {
    let lists = json.values(at: each, in: json.root)
    return lists.flatMap { list -> [(name: String?, meaning: AnswerClass?)] in
      guard case .array(let elements) = list.content else { return [] }
      return elements.map { element in
        func text(_ extract: Extract) -> String? {
          (try? extract.value(in: element, key: nil, of: json, bindings)).flatMap(\.self)?.text
        }
        let code = code.flatMap { text($0) }
        return (name.map { text($0) } ?? json.text(element), codes.first { $0.name == code }?.value ?? then)
      }
    }
  }
}
