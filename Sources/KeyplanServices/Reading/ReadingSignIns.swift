import KeyplanYAML

extension DescriptionReader {
  /// Names of fields that must have values.
  package mutating func knownFields(_ written: Written?) -> [String] {
    let names = texts(written)
    if let written {
      for name in names where variables.fields[name] == nil { report(.unknownVariable(name), at: written) }
    }
    return names
  }

  package mutating func auth(_ written: Written?, _ scope: TemplateScope, into api: inout SecretAPI) {
    guard let written else { return }
    let allowed = [
      "anonymous", "when", "chain", "members", "sign", "login", "bearer", "header", "basic", "verify", "logout",
    ]
    let ways = items(written)
    for (index, item) in ways.enumerated() {
      guard let members = members(item, allowed: allowed) else { continue }
      var method = SecretAPI.SignInMethod()
      method.isAnonymous = flag(members["anonymous"]) ?? false
      if method.isAnonymous, members.all.count > 1 || index < ways.count - 1 {
        report(.anonymousWithCredential, at: item)
      }
      method.when = knownFields(members["when"])
      var scope = scope
      method.chain = choice(members["chain"], of: AmbientChain.self)
      variables.credentials.formUnion(method.chain?.variables ?? [])
      method.members = memberSets(members["members"])
      variables.credentials.formUnion(method.members.flatMap { $0.members.map(\.name) })
      scope = scope.with(variables.credentials)
      let signer = members["sign"].flatMap { self.signer($0) }
      if signer?.kind == .rs256, let fields = signer?.fields {
        method.assertion = assertion(fields, scope)
        variables.credentials.insert(SecretAPI.Assertion.variable)
        scope = scope.with(variables.credentials)
      }
      if let login = members["login"] {
        for step in items(login) {
          guard let login = self.login(step, scope) else { continue }
          variables.credentials.formUnion(login.yields.map(\.name))
          scope = scope.with(variables.credentials)
          method.login.append(login)
        }
      }
      method.credential = credential(members, scope)
      method.verify = operation(members["verify"]).flatMap { request($0, scope, isRead: true) }
      method.logout = operation(members["logout"]).flatMap { request($0, scope) }
      if signer?.kind == .sigv4, let fields = signer?.fields {
        if method.credential != nil { report(.severalCredentials, at: item) }
        // The access key can come from a login.
        method.credential = signature(fields, scope).map { .sigv4($0) }
      }
      api.auth.append(method)
    }
  }

  package mutating func login(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Login? {
    guard let members = operation(written, ["base", "yields"]), let request = request(members, scope, isLogin: true)
    else { return nil }
    return SecretAPI.Login(request: request, yields: extracts(required("yields", of: members), scope))
  }

  package mutating func credential(_ members: WrittenMembers, _ scope: TemplateScope) -> SecretAPI.Credential? {
    if let bearer = members["bearer"] { return template(bearer, for: .header, scope).map { .bearer($0) } }
    if let header = members["header"] { return .headers(named(header, for: .header, scope)) }
    if let query = members["query"] { return .query(named(query, for: .keyQuery, scope)) }
    guard let basic = members["basic"] else { return nil }
    let parts = items(basic)
    guard parts.count == 2, let user = template(parts[0], for: .header, scope),
      let password = template(parts[1], for: .header, scope)
    else {
      report(.wrongType(.list), at: basic)
      return nil
    }
    return .basic(user: user, password: password)
  }

  package mutating func lookups(_ written: Written?, _ scope: TemplateScope, into api: inout SecretAPI) -> TemplateScope
  {
    guard let written, let members = members(written) else { return scope }
    var scope = scope
    for (name, value) in members.all {
      guard let lookupMembers = operation(value, ["yields"]), let request = request(lookupMembers, scope, isRead: true)
      else { continue }
      let yields = extracts(required("yields", of: lookupMembers), scope)
      api.lookups.append(SecretAPI.Lookup(name: name, request: request, yields: yields))
      variables.found.formUnion(yields.map(\.name))
      scope = scope.with(variables.found)
    }
    return scope
  }

  package mutating func account(_ written: Written, _ api: SecretAPI) -> SecretAPI.Account? {
    let scope = TemplateScope(names: Set(api.connection.map(\.name)))
    guard let members = operation(written, ["name"]), let request = request(members, scope) else { return nil }
    return SecretAPI.Account(request: request, name: members["name"].flatMap { extract($0, scope) })
  }

  package mutating func identify(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Identify? {
    guard let members = operation(written, ["yields", "expect", "say"]),
      let request = request(members, scope, isRead: true)
    else { return nil }
    var identify = SecretAPI.Identify(request: request)
    identify.expect = match(members["expect"], scope)
    identify.say = text(members["say"])
    if let yields = members["yields"], let yieldMembers = self.members(yields, allowed: ["identity"]) {
      identify.identity = extract(required("identity", of: yieldMembers), scope)
    }
    return identify
  }
}
