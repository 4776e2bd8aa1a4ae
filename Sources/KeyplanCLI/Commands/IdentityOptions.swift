internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// The kind and protection of a new identity.
struct IdentityOptions: ParsableArguments {
  @Flag(help: "Create a post-quantum identity (age1pq1…). Programs that share it need age 1.3 or later.")
  var postQuantum = false

  @Flag(help: "Encrypt the identity with a passphrase, which is asked for now and each time the identity is used.")
  var passphrase = false

  @Option(
    help: ArgumentHelp(
      "The key that seals the identity: the ARN of one of AWS KMS, or the address of one of Vault's or OpenBao's transit "
        + "engine.", valueName: "key"))
  var kms: String?

  @Option(help: ArgumentHelp("The role that a CI job signs in with, to open it.", valueName: "role"))
  var role: String?

  @Option(
    help: ArgumentHelp("The audience of the token with which a job of GitHub Actions signs in.", valueName: "audience"))
  var audience: String?

  @Option(
    help: ArgumentHelp(
      "The variable that has the token with which another CI service's job signs in.", valueName: "name"))
  var tokenVariable: String?

  @Option(help: ArgumentHelp("Where Vault's JWT login is mounted (default: jwt).", valueName: "path"))
  var mount: String?

  /// Nil without a key management service.
  func sealing() throws(Failure) -> IdentitySealing? {
    guard kms == nil || !passphrase else {
      throw Failure(.usage, "Two protections", "--passphrase and --kms cannot be used together.")
    }
    guard let kms else {
      guard role == nil, audience == nil, tokenVariable == nil, mount == nil else {
        throw Failure(.usage, "Missing key", "--role, --audience, --token-variable and --mount require --kms.")
      }
      return nil
    }
    return try IdentitySealing(key: kms, role: role, audience: audience, variable: tokenVariable, mount: mount)
  }
}
