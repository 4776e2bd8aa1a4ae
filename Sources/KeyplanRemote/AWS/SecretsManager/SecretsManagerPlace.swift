import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// The location of a target's names in AWS Secrets Manager.
struct SecretsManagerPlace: Sendable {
  enum Form: Sendable {
    /// Members of one secret's JSON object.
    case object(secret: String)
    /// Secrets of their own, below a prefix.
    case secrets(prefix: String)
  }

  let form: Form

  /// - Throws: `RemoteFailure` unless exactly one of `secret` and `prefix` is set, and valid.
  init(_ location: String, of grammar: TargetGrammar?) throws(RemoteFailure) {
    guard let values = grammar?.values(at: location) else {
      throw RemoteFailure(.unreadable, RemoteMessages.noPlace)
    }
    switch (values["secret"], values["prefix"]) {
    case (let secret?, nil) where Self.isValid(secret) || SecretId(reference: secret)?.version == .current:
      form = .object(secret: secret)
    case (nil, let prefix?) where Self.isValid(prefix):
      form = .secrets(prefix: prefix.hasSuffix("/") ? prefix : prefix + "/")
    case (nil, nil), (_?, _?):
      throw RemoteFailure(.unreadable, AWSMessages.secretOrPrefix, hint: AWSMessages.setOneOfThem)
    default: throw RemoteFailure(.unreadable, RemoteMessages.invalidName)
    }
  }

  /// Whether a text can be a secret's name, or the beginning of one.
  static func isValid(_ name: String) -> Bool {
    (1...512).contains(name.utf8.count)
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || "/_+=.@-".utf8.contains($0)
      }
  }
}
