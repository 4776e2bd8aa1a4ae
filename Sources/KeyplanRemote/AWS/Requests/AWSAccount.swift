/// The account that something belongs to. It identifies a target's place: another profile can belong to another account.
enum AWSAccount {
  /// `arn:aws:ssm:REGION:ACCOUNT:parameter/NAME`; nil for anything else.
  static func owner(of arn: String) -> String? {
    let parts = arn.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 5, parts[0] == "arn", parts[4].utf8.count == 12,
      parts[4].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return "account \(parts[4])"
  }
}
