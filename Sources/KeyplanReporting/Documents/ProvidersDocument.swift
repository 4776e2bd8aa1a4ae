/// `schemas/providers.schema.json`.
package struct ProvidersDocument: Encodable {
  package let formatVersion = 1
  private let providers: [Fields]

  package init(_ providers: [KnownProvider]) { self.providers = providers.map(Fields.init) }

  private struct Fields: Encodable {
    let name: String
    let variable: String?
    let otherVariables: [String]
    let format: String?
    let beginnings: [String]
    let isChecked: Bool
    let isCheckPreview: Bool
    /// The type of connections.
    let connection: String?
    /// The page where a person makes a key.
    let page: String?

    init(_ provider: KnownProvider) {
      (name, variable, otherVariables) = (provider.name, provider.variable, provider.otherVariables)
      (format, beginnings) = (provider.format, provider.beginnings)
      (isChecked, isCheckPreview) = (provider.check != .none, provider.check == .preview)
      switch provider.keys {
      case .made(let type): (connection, page) = (type, nil)
      case .manual(let type, let address): (connection, page) = (type, address)
      case .elsewhere: (connection, page) = (nil, nil)
      }
    }
  }
}
