import KeyplanDocuments
import KeyplanSecrets

/// JSON that contains refresh tokens. Parsing JSON leaves copies in memory that cannot be wiped.
struct ImportedJSON {
  private let document: JSONDocument

  init(_ bytes: UnsafeRawBufferPointer) throws(ImportedTokenError) {
    do throws(DocumentError) { document = try JSONDocument(Array(bytes)) } catch {
      let place = error.place.map { "Line \($0.line), column \($0.column): " } ?? ""
      throw .json(place + error.detail)
    }
  }

  func tokens() throws(ImportedTokenError) -> [ImportedToken] {
    if text("type") == "service_account" { throw .serviceAccount }
    if let cached = cached() { return cached }
    // gcalcli before 4.4 (oauth2client), vdirsyncer (oauthlib), Google's `authorized_user`, oama, mutt_oauth2.py.
    guard let token = bytes("refresh_token") else { throw .noRefreshToken }
    let address = text("token_uri") ?? text("token_endpoint")
    let names = ["email", "account", "username"].compactMap(text)
    guard let imported = ImportedToken(token, client: text("client_id"), address: address, names: names) else {
      throw .noRefreshToken
    }
    return [imported]
  }

  /// The refresh tokens in MSAL's cache, each with the user name of its account; nil if it is not such a cache.
  private func cached() -> [ImportedToken]? {
    guard let entries = try? document.names(in: "RefreshToken"), !entries.isEmpty else { return nil }
    var users: [String: String] = [:]
    for entry in (try? document.names(in: "Account")) ?? [] {
      if let id = text("Account", entry, "home_account_id"), let user = text("Account", entry, "username") {
        users[id] = user
      }
    }
    return entries.compactMap { entry in
      guard let token = bytes("RefreshToken", entry, "secret") else { return nil }
      let user = text("RefreshToken", entry, "home_account_id").flatMap { users[$0] }
      let host = text("RefreshToken", entry, "environment")
      return ImportedToken(
        token, client: text("RefreshToken", entry, "client_id"), address: host.map { "https://\($0)/" },
        names: [user].compactMap(\.self))
    }
  }

  private func bytes(_ names: String...) -> [UInt8]? { bytes(names) }

  private func text(_ names: String...) -> String? { bytes(names).map { String(decoding: $0, as: UTF8.self) } }

  private func text(_ name: String) -> String? { bytes([name]).map { String(decoding: $0, as: UTF8.self) } }

  private func bytes(_ names: [String]) -> [UInt8]? {
    guard case .text(let bytes)? = try? document.value(at: JSONDocument.pointer(to: names)), !bytes.isEmpty else {
      return nil
    }
    return bytes
  }
}
