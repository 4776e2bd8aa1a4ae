/// An account and its service. Tokens are sent only to this service: if one of the facts changes, they become useless.
package struct AccountFacts: Hashable, Sendable, Codable {
  /// The service.
  package let service: Service
  /// The account's name there: a user name or an address.
  package let account: String
  /// The client's id; nil if the service has none.
  package let client: String?
  /// Microsoft's tenant; nil for the one that serves all accounts.
  package let tenant: String?
  /// A CalDAV server's address.
  package let url: String?
  /// Addresses that are not the service's usual ones: for tests, and for clouds of one's own.
  package let endpoints: [Endpoint: String]

  /// The services.
  package enum Service: String, Sendable, Codable, CaseIterable {
    case google, outlook, caldav

    /// The name that people know.
    package var spoken: String {
      switch self {
      case .google: "Google"
      case .outlook: "Microsoft"
      case .caldav: "The CalDAV server"
      }
    }
  }

  /// The endpoints of a service.
  package enum Endpoint: String, Sendable, Codable, CodingKeyRepresentable, CaseIterable {
    /// The page where a person grants access, in a browser.
    case authorize
    /// The token endpoint.
    case token
    /// The endpoint that starts a sign-in on another device.
    case device
    /// The endpoint that revokes a token.
    case revoke
    /// The calendar API.
    case api
  }

  package init(
    service: Service, account: String, client: String? = nil, tenant: String? = nil, url: String? = nil,
    endpoints: [Endpoint: String] = [:]
  ) {
    self.service = service
    self.account = account
    self.client = client
    self.tenant = tenant
    self.url = url
    self.endpoints = endpoints
  }

  /// The address of an endpoint; nil if the service has none.
  package func address(of endpoint: Endpoint) -> String? {
    if let address = endpoints[endpoint] { return address }
    // The service cannot revoke tokens from elsewhere.
    if endpoints[.token] != nil, endpoint == .device || endpoint == .revoke { return nil }
    switch (service, endpoint) {
    case (.google, .authorize): return "https://accounts.google.com/o/oauth2/v2/auth"
    case (.google, .token): return "https://oauth2.googleapis.com/token"
    case (.google, .device): return "https://oauth2.googleapis.com/device/code"
    case (.google, .revoke): return "https://oauth2.googleapis.com/revoke"
    case (.google, .api): return "https://www.googleapis.com/calendar/v3"
    case (.outlook, .authorize): return microsoft("authorize")
    case (.outlook, .token): return microsoft("token")
    case (.outlook, .device): return microsoft("devicecode")
    case (.outlook, .api): return "https://graph.microsoft.com/v1.0"
    case (.caldav, .api): return url
    case (.outlook, .revoke), (.caldav, _): return nil
    }
  }

  private func microsoft(_ path: String) -> String {
    "https://login.microsoftonline.com/\(tenant ?? "common")/oauth2/v2.0/\(path)"
  }

  /// The hosts that get a credential. keyplan sends none to the pages where a person signs in; but a page outside the service could ask the
  /// person for it, so such a page counts.
  package var hosts: Set<ExternalAccess> {
    let asked = Endpoint.allCases.filter { endpoints[$0] != nil || ($0 != .authorize && $0 != .device) }
      .compactMap(address)
    return Set(asked.compactMap(Self.host).map { ExternalAccess(.host, $0) })
  }

  /// Whether a name that the service states is this account's: its address, an alias, a user name or an id. Case does not matter;
  /// nor do dots to Google in addresses of its own.
  package func isNamed(_ name: String) -> Bool { plain(name) == plain(account) }

  private func plain(_ name: String) -> String {
    let name = name.lowercased()
    let parts = name.split(separator: "@", maxSplits: 1)
    guard service == .google, parts.count == 2, ["gmail.com", "googlemail.com"].contains(parts[1]) else { return name }
    return parts[0].filter { $0 != "." } + "@gmail.com"
  }

  /// The host, with its port if there is one, of an `https://` or `http://` address.
  package static func host(of address: String) -> String? {
    guard let mark = address.utf8.firstIndex(of: UInt8(ascii: ":")), address[mark...].hasPrefix("://") else {
      return nil
    }
    let rest = address[address.utf8.index(mark, offsetBy: 3)...]
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host.isEmpty ? nil : host.lowercased()
  }
}
