import KeyplanModel

extension DescriptionReader {
  package mutating func rotate(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Rotate? {
    guard let own = members(written, allowed: ["mint", "manual", "list", "disable", "revoke"]) else { return nil }
    let one = scope.with(["id", SecretAPI.MintRequest.label])
    let list = own["list"].flatMap { keyList($0, scope) }
    let disable = own["disable"].flatMap { keyRequest($0, one) }
    let revoke = own["revoke"].flatMap { keyRequest($0, scope.with(["id"])) }
    if own["mint"] != nil, own["manual"] != nil { report(.severalWaysToMint, at: written) }
    if let manual = own["manual"] {
      // Only a list shows that a key no longer exists.
      if own["disable"] != nil || own["revoke"] != nil { _ = required("list", of: own) }
      return manualMint(manual, isRevocable: revoke != nil).map {
        SecretAPI.Rotate(mint: .manual($0), list: list, disable: disable, revoke: revoke)
      }
    }
    for name in ["list", "revoke"] { _ = required(name, of: own) }
    guard let written = required("mint", of: own), let mint = mintRequest(written, scope) else { return nil }
    if let list, let names = own["list"] {
      if mint.isLabelled, list.name == nil { report(.neverRead(SecretAPI.MintRequest.label), at: names) }
      if !mint.isLabelled, list.name != nil { report(.labelNotSent, at: written) }
    }
    return SecretAPI.Rotate(mint: .request(mint), list: list, disable: disable, revoke: revoke)
  }

  private mutating func mintRequest(_ written: Written, _ scope: TemplateScope) -> SecretAPI.MintRequest? {
    let labelled = scope.with([SecretAPI.MintRequest.label])
    guard let own = operation(written, ["yields", "longestLabel"]), let request = request(own, labelled),
      let yields = required("yields", of: own), let members = members(yields),
      let id = extract(required("id", of: members), scope)
    else { return nil }
    for (rule, item) in zip(request.outcomes, own["outcomes"].map { items($0) } ?? []) where rule.retry > 0 {
      report(.mintRepeated, at: item)
    }
    let values = members.all.filter { $0.name != "id" && $0.name != "expires" }
    if values.isEmpty { report(.noKeyRead, at: yields) }
    let longest = number(own["longestLabel"])
    // A shorter one would have no room for anything besides its digest.
    if let longest, longest < 32, let written = own["longestLabel"] { report(.wrongType(.number), at: written) }
    return SecretAPI.MintRequest(
      request: request, id: id,
      values: values.compactMap { name, value in extract(value, scope).map { Named(name, $0) } },
      expires: extract(members["expires"], scope), longestLabel: longest)
  }

  private mutating func manualMint(_ written: Written, isRevocable: Bool) -> ManualMint? {
    guard let members = members(written, allowed: ["page", "steps", "source"]),
      let page = required("page", of: members), let address = text(page),
      let steps = text(required("steps", of: members))
    else { return nil }
    state(.steps, at: written, from: members["source"])
    if !address.hasPrefix("https://") { report(.host, at: page) }
    return ManualMint(page: address, steps: steps, isRevocable: isRevocable)
  }

  /// A request about one key.
  private mutating func keyRequest(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Request? {
    guard let request = operation(written).flatMap({ self.request($0, scope) }) else { return nil }
    if !request.variables.contains("id") { report(.nameNotSent, at: written) }
    return request
  }

  /// In seconds. An apply waits that long.
  private static var longestDelay: Int { 300 }

  private static let keyFields = ["each", "expect", "id", "name", "created", "except", "total", "source"]

  private mutating func keyList(_ written: Written, _ scope: TemplateScope) -> SecretAPI.KeyList? {
    guard let own = operation(written, ["entries", "pages", "delay"]), let request = request(own, scope, isRead: true),
      let entries = required("entries", of: own),
      let members = members(entries, allowed: Self.keyFields), let each = pointer(required("each", of: members)),
      let id = extract(required("id", of: members), scope)
    else { return nil }
    answer(members)
    var listed = SecretAPI.Entries(each: each, shape: SecretAPI.EntryShape())
    listed.expect = match(members["expect"], scope)
    var read = SecretAPI.Read(request: request, shape: .entries([listed]))
    read.pages = own["pages"].flatMap { pages($0) }
    var list = SecretAPI.KeyList(read: read, id: id)
    list.name = extract(members["name"], scope)
    list.created = extract(members["created"], scope)
    list.except = members["except"].map { match($0, scope) }
    list.total = pointer(members["total"])
    if let seconds = number(own["delay"]), let delay = own["delay"] {
      list.delay = Interval(seconds: Int64(seconds))
      if !(0...Self.longestDelay).contains(seconds) { report(.wrongType(.number), at: delay) }
    }
    return list
  }
}
