package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// Records in the public database of a CloudKit container, through CloudKit Web Services.
///
/// Source: *CloudKit Web Services Reference* in Apple's documentation archive.
package struct CloudKitBackend: RemoteBackend {
  private let client: CloudKitClient
  private let recordTarget: CloudKitTarget

  package init(_ context: ConnectionContext) {
    client = CloudKitClient(context)
    recordTarget = CloudKitTarget(client)
  }

  package var source: (any SecretSource)? { CloudKitSource(client) }
  package var target: (any SecretTarget)? { recordTarget }

  package func signedInAs() async -> SignedInAs {
    do throws(RemoteFailure) {
      try await client.verify()
      return .unnamed
    } catch {
      return .failed(error.asAccess)
    }
  }
}

extension CloudKitBackend {
  package static let backend = BackendDescription(
    "cloudkit", title: "CloudKit", help: "Records in the public database of a CloudKit container.", isPreview: true,
    connection: ConnectionGrammar(
      [
        BackendField("address", .url, default: "https://api.apple-cloudkit.com", help: "The address of the service."),
        BackendField(
          "container", isRequired: true, pattern: try? FormatPattern("iCloud\\.[A-Za-z0-9.-]{1,200}"), isPlace: true,
          example: "iCloud.com.example.app", help: "The container."),
        BackendField(
          "environment", .choice(["development", "production"]), isRequired: true, isPlace: true,
          help: "The environment of the container."),
        BackendField(
          "keyId", pattern: try? FormatPattern("[A-Za-z0-9]{1,128}"), example: "2f54c1b8",
          help: "The ID of the server-to-server key."),
        BackendField(
          "privateKey", .secret, help: "Where the private key (PEM, P-256) of the server-to-server key is found."),
        BackendField(
          "apiToken", .secret, help: "Where an API token is found, which reads only. It is used instead of a key."),
        BackendField(
          "recordType", default: "Keys", pattern: identifier, isPlace: true, help: "The type of the records."),
        BackendField(
          "nameField", default: "name", pattern: identifier, isPlace: true,
          help: "The field of a record that contains the name."),
        BackendField(
          "valueField", default: "key", pattern: identifier, isPlace: true,
          help: "The field of a record that contains the value."),
      ], exampleFields: ["keyId", "privateKey"]),
    reference: ReferenceGrammar(
      .place(what: "the name in a record"), example: "cloudkit://openWeatherMap", isLocal: false,
      help: "The value of the record with this name."),
    target: TargetGrammar(
      fields: [], names: names, limits: .init(valueBytes: valueLimit)),
    pace: Pace(concurrency: 4))

  static let names = NameRule(.text, longest: 255)
  static let valueLimit = 65_536

  private static let identifier = try? FormatPattern("[A-Za-z][A-Za-z0-9_]{0,254}")
}
