/// A parameter, and which version of it.
struct ParameterId: Hashable, Sendable {
  /// The name or ARN.
  let name: String
  /// A version's number or label; nil for the current version.
  let selector: String?

  /// As requests have it.
  var text: String { selector.map { "\(name):\($0)" } ?? name }

  /// The current version.
  init(_ name: String) {
    self.name = name
    selector = nil
  }

  /// The parameter of a reference: `NAME`, or `NAME:VERSION` with a number or label. A name with `/` in it always
  /// begins with one. Nil for anything else.
  init?(reference text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    // arn:aws:ssm:REGION:ACCOUNT:parameter/NAME has six parts, a name one.
    let isARN = text.hasPrefix("arn:")
    let own = isARN ? 6 : 1
    guard (own...own + 1).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
      !isARN || (parts[2] == "ssm" && parts[5].hasPrefix("parameter/"))
    else { return nil }
    let written = parts[..<own].joined(separator: ":")
    name = !isARN && written.contains("/") && !written.hasPrefix("/") ? "/" + written : written
    selector = parts.count > own ? parts.last.map(String.init) : nil
  }

  /// The region of an ARN; nil for a name.
  var region: String? {
    guard name.hasPrefix("arn:") else { return nil }
    return name.split(separator: ":").dropFirst(3).first.map(String.init)
  }
}
