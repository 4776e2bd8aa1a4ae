/// A provider that makes or revokes keys, with the fields that its fake expects.
public struct IssuerSample: Sendable, CustomStringConvertible {
  /// The name in `issuers.json`. The backend's ends with `-keys`, too.
  public let name: String
  /// The fields with a credential.
  public private(set) var credentials = ["token"]
  /// Those of the connection that are not secret, besides the address.
  public private(set) var connection: [String: String] = [:]
  /// Those of a key's place.
  public private(set) var place: [String: String] = [:]
  /// The parts of a key.
  public private(set) var parts = ["key"]
  /// Whether a key is found again by its label.
  public private(set) var hasLabels = true
  /// Whether keys can be made by a request.
  public private(set) var canMint = true
  /// Whether the list has pages.
  public private(set) var hasPages = false

  /// Its name.
  public var description: String { name }

  private static let policies =
    #"[{"effect": "allow", "resources": {"com.cloudflare.api.account.a": "*"}, "permission_groups": [{"id": "g"}]}]"#

  /// All of them.
  public static let all = [
    IssuerSample(name: "anthropic", credentials: ["adminKey"], canMint: false, hasPages: true),
    IssuerSample(
      name: "azure-application", place: ["application": "00000000-0000-0000-0000-00000000000a"]),
    IssuerSample(
      name: "cloudflare", credentials: ["parentToken"], place: ["policies": policies], hasPages: true),
    IssuerSample(name: "datadog", credentials: ["apiKey", "applicationKey"], hasPages: true),
    IssuerSample(
      name: "digitalocean-spaces", place: ["grants": #"[{"bucket": "b", "permission": "read"}]"#],
      parts: ["accessKey", "secretKey"], hasPages: true),
    IssuerSample(name: "doppler", place: ["project": "p", "config": "prd"]),
    IssuerSample(
      name: "gcp-service-account",
      place: ["project": "proj", "serviceAccount": "ci@proj.iam.gserviceaccount.com"], hasLabels: false),
    IssuerSample(name: "mailgun", credentials: ["apiKey"], place: ["role": "sending"]),
    IssuerSample(
      name: "openai", credentials: ["adminKey"], place: ["project": "proj", "lifetime": "3600"], hasPages: true),
    IssuerSample(name: "openrouter", credentials: ["managementKey"], place: ["limit": "5"], hasPages: true),
    IssuerSample(name: "sendgrid", credentials: ["parentKey"], place: ["scopes": "mail.send,mail.batch.read"]),
    IssuerSample(
      name: "twilio", credentials: ["secret"], connection: ["account": "AC1", "sid": "SKmain"],
      parts: ["secret", "sid"], hasPages: true),
  ]

  /// Those that make keys.
  public static let minting = all.filter(\.canMint)
  /// Those whose lists have pages.
  public static let paged = all.filter(\.hasPages)

  /// Whether the next page is an address in the answer.
  public var followsAddress: Bool { ["twilio", "digitalocean-spaces"].contains(name) }
}
