import KeyplanJSON

extension DescriptionReader {
  package enum SignerKind: String, CaseIterable { case rs256, sigv4 }

  private static func fields(of kind: SignerKind) -> Set<String> {
    switch kind {
    case .rs256: ["kind", "key", "header", "claims", "lifetime"]
    case .sigv4: ["kind", "service", "region", "accessKeyId", "secretAccessKey", "sessionToken"]
    }
  }

  package mutating func signer(_ written: Written) -> (kind: SignerKind, fields: WrittenMembers)? {
    guard let members = members(written), let kind = required("kind", of: members), let name = text(kind) else {
      return nil
    }
    guard let signer = SignerKind(rawValue: name) else {
      report(.unsupportedSigner(name), at: kind)
      return nil
    }
    let known = Self.fields(of: signer)
    for (name, value) in members.all where !known.contains(name) { report(.unknownField(name), at: value) }
    return (signer, members)
  }

  package mutating func assertion(_ members: WrittenMembers, _ scope: TemplateScope) -> SecretAPI.Assertion? {
    guard let key = template(required("key", of: members), for: .json, scope) else { return nil }
    var assertion = SecretAPI.Assertion(key: key)
    assertion.header = object(members["header"], without: SecretAPI.Assertion.ownHeader, scope)
    assertion.claims = object(members["claims"], without: SecretAPI.Assertion.ownClaims, scope)
    if let lifetime = members["lifetime"] {
      let seconds = number(lifetime)
      if let seconds, !(1...SecretAPI.Assertion.longest).contains(seconds) { report(.wrongType(.number), at: lifetime) }
      assertion.lifetime = seconds ?? assertion.lifetime
    }
    return assertion
  }

  /// - Parameter own: members that the interpreter adds itself.
  private mutating func object(_ written: Written?, without own: Set<String>, _ scope: TemplateScope) -> BodyTree {
    guard let written, let members = members(written) else { return .object([]) }
    return .object(
      members.all.compactMap { name, value in
        if own.contains(name) || name.hasPrefix("$") { report(.unknownField(name), at: value) }
        return tree(value, scope).map { Named(name, $0) }
      })
  }

  package mutating func signature(_ members: WrittenMembers, _ scope: TemplateScope) -> SecretAPI.AWSSignature? {
    func part(_ name: String, _ reader: inout Self) -> Template? {
      reader.template(reader.required(name, of: members), for: .header, scope)
    }
    let service = text(required("service", of: members))
    if let service, let written = members["service"], !AWSEndpoint.isRegion(service) {
      report(.invalidText(service), at: written)
    }
    guard let service, let region = part("region", &self), let id = part("accessKeyId", &self),
      let key = part("secretAccessKey", &self)
    else { return nil }
    let token = members["sessionToken"].flatMap { template($0, for: .header, scope) }
    return SecretAPI.AWSSignature(
      service: service, region: region, accessKeyId: id, secretAccessKey: key, sessionToken: token)
  }

  package mutating func memberSets(_ written: Written?) -> [SecretAPI.MemberSet] {
    guard let written, let sets = members(written) else { return [] }
    return sets.all.compactMap { field, value in
      if variables.fields[field]?.isSecret != true { report(.secretRequired(field), at: value) }
      guard let members = self.members(value) else { return nil }
      let named = members.all.compactMap { name, pointer in
        if !Self.isVariable(name) { report(.invalidText(name), at: pointer) }
        if variables.fields[name] != nil { report(.duplicateField(name), at: pointer) }
        return self.pointer(pointer).map { Named(name, $0) }
      }
      return SecretAPI.MemberSet(field: field, members: named)
    }
  }
}
