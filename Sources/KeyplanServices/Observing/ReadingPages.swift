import KeyplanHTTP
import KeyplanJSON

extension PlaceSession {
  /// The answers of all pages; one of class *missing* if there is nothing.
  package func pages(
    _ read: SecretAPI.Read, _ bindings: Bindings, _ sets: ItemSets
  ) async throws(RemoteFailure) -> [ClassifiedAnswer] {
    var answers: [ClassifiedAnswer] = []
    var seen: Set<RequestBuilder.PageStep> = []
    var entries = 0
    var step: RequestBuilder.PageStep?
    while true {
      let answer = try await sender.send(read.request, .read, bindings, sets, page: step, needsJSON: true)
      if answer.meaning == .missing, answers.isEmpty { return [answer] }
      guard answer.meaning == .ok, let json = answer.json else { throw sender.failure(answer) }
      answers.append(answer)
      entries += self.entries(of: read, in: json).count
      guard let pages = read.pages else { return answers }
      let more = try more(pages, json)
      guard more != false, let next = try next(pages, read, answer, json, after: answers.count, entries) else {
        guard more != true else { throw wrongShape }
        return answers
      }
      guard seen.insert(next).inserted, answers.count < pages.most else {
        throw RemoteFailure(.unreadable, RemoteMessages.endlessList(host))
      }
      step = next
    }
  }

  /// Whether an answer says that there is another page; nil if it need not say.
  private func more(_ pages: SecretAPI.Pages, _ json: JSONAnswer) throws(RemoteFailure) -> Bool? {
    guard let more = pages.more else { return nil }
    guard case .bool(let flag)? = json.values(at: more, in: json.root).first?.content else { throw wrongShape }
    return flag
  }

  private func entries(of read: SecretAPI.Read, in json: JSONAnswer) -> [JSONNode] {
    let lists = read.entries.first.map { json.values(at: $0.each, in: json.root) } ?? []
    return lists.flatMap { $0.elements ?? [] }
  }

  /// - Parameters:
  ///   - count: the number of pages so far.
  ///   - total: the number of entries so far.
  private func next(
    _ pages: SecretAPI.Pages, _ read: SecretAPI.Read, _ answer: ClassifiedAnswer, _ json: JSONAnswer, after count: Int,
    _ total: Int
  ) throws(RemoteFailure) -> RequestBuilder.PageStep? {
    func cursor(_ text: String?, _ query: String) -> RequestBuilder.PageStep? {
      text.flatMap { $0.isEmpty ? nil : .query(name: query, value: $0) }
    }
    func text(at pointer: AnswerPointer, in node: JSONNode) -> String? {
      json.values(at: pointer, in: node).first.flatMap { json.text($0) ?? json.number($0) }
    }
    switch pages.next {
    case .link(let relation):
      return try answer.response?.header("link").flatMap { LinkHeader.target(of: relation, in: $0) }
        .map { (target) throws(RemoteFailure) in .address(try sameOrigin(target)) }
    case .url(let pointer):
      guard let target = text(at: pointer, in: json.root), !target.isEmpty else { return nil }
      return .address(try sameOrigin(target))
    case .header(let name, let query): return cursor(answer.response?.header(name), query)
    case .pointer(let pointer, let query): return cursor(text(at: pointer, in: json.root), query)
    case .last(let pointer, let query):
      return entries(of: read, in: json).last.flatMap { cursor(text(at: pointer, in: $0), query) }
    case .number(let pointer, let query):
      guard let most = text(at: pointer, in: json.root).flatMap({ Int($0) }) else { throw wrongShape }
      return count < most ? .query(name: query, value: String(count + 1)) : nil
    case .page(let first, let query):
      return entries(of: read, in: json).isEmpty ? nil : .query(name: query, value: String(first + count))
    case .offset(let query):
      return entries(of: read, in: json).isEmpty ? nil : .query(name: query, value: String(total))
    }
  }

  /// The address of a next page, which must be at the place's own scheme, host and port: it gets the credential.
  private func sameOrigin(_ target: String) throws(RemoteFailure) -> String {
    let origin = sender.builder.origin
    let address = target.hasPrefix("/") && !target.hasPrefix("//") ? origin + target : target
    guard address.hasPrefix(origin + "/"), (try? HTTPAddress(address)) != nil else {
      throw RemoteFailure(.unreadable, RemoteMessages.otherHostPage(host))
    }
    return address
  }
}

/// The header `Link` (RFC 8288).
package enum LinkHeader {
  /// The target of the link with this relation.
  package static func target(of relation: String, in header: String) -> String? {
    var rest = header[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let target = rest[rest.index(after: open)..<close]
      let after = rest[rest.index(after: close)...]
      // A comma in an address is inside the brackets.
      let end = after.firstIndex(of: "<") ?? after.endIndex
      let parameters = after[..<end].split(separator: ";").map { parameter in
        parameter.filter { !" \t\",".contains($0) }.lowercased()
      }
      if parameters.contains("rel=\(relation.lowercased())") { return String(target) }
      rest = after[end...]
    }
    return nil
  }
}
