import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

/// The public key of a scope, for which its values are sealed.
struct GitHubKey: Sendable {
  let id: String
  let bytes: [UInt8]

  /// Nil for an answer that has no usable key.
  init?(_ json: JSONAnswer) {
    guard let id = json.member("key_id").flatMap({ json.text($0) }),
      let key = json.member("key").flatMap({ json.text($0) }).flatMap({ SecretBase64.bytes(in: $0.utf8) }),
      key.count == 32
    else { return nil }
    self.id = id
    bytes = key.withBytes { Array($0) }
  }
}

/// A secret as a list shows it.
struct GitHubEntry: Sendable {
  let name: String
  /// Changes with each write.
  let mark: String
  /// The repositories that may use a secret of an organization; nil for others.
  let visibility: String?
}

extension GitHubSession {
  /// The secrets of a scope, by name in upper case.
  func entries(_ scope: GitHubScope) async throws(RemoteFailure) -> [String: GitHubEntry] {
    var entries: [String: GitHubEntry] = [:]
    for json in try await pages(scope.secrets, for: scope) {
      guard let list = json.member("secrets"), case .array(let elements) = list.content else {
        throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
      }
      for element in elements {
        func text(_ name: String) -> String? { json.member(name, in: element).flatMap { json.text($0) } }
        guard let name = text("name"), let mark = text("updated_at") else {
          throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
        }
        entries[name.uppercased()] = GitHubEntry(name: name, mark: mark, visibility: text("visibility"))
      }
    }
    return entries
  }

  /// The repositories that may use a secret of an organization.
  func repositories(of name: String, _ scope: GitHubScope) async throws(RemoteFailure) -> [String] {
    var numbers: [String] = []
    for json in try await pages(scope.secrets + [name, "repositories"], for: scope) {
      guard let list = json.member("repositories"), case .array(let elements) = list.content else {
        throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
      }
      for element in elements {
        guard let number = json.member("id", in: element).flatMap({ json.number($0) }) else {
          throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
        }
        numbers.append(number)
      }
    }
    return numbers
  }

  private func pages(_ path: [String], for scope: GitHubScope) async throws(RemoteFailure) -> [JSONAnswer] {
    var call = Call(.get, path)
    call.query = "per_page=100"
    var pages: [JSONAnswer] = []
    // Organizations have at most 1,000 secrets; a secret can be for more repositories.
    while pages.count < 100 {
      let answer = try await send(call, for: scope)
      guard answer.meaning == .ok else { throw failure(answer, writing: scope) }
      guard let json = answer.json else { throw RemoteFailure(.unreadable, RemoteMessages.notJSON(host)) }
      pages.append(json)
      guard let next = answer.response?.header("link").flatMap({ LinkHeader.target(of: "next", in: $0) }) else {
        return pages
      }
      call.page = next
    }
    throw RemoteFailure(.unreadable, RemoteMessages.endlessList(host))
  }

  /// The number of the repository or the organization, which stays when it is renamed.
  func identity(_ scope: GitHubScope) async throws(RemoteFailure) -> String {
    let result = await identities.value(scope.home.joined(separator: "/")) { [self] in
      do throws(RemoteFailure) {
        let answer = try await send(Call(.get, scope.home), for: scope)
        guard answer.meaning == .ok else { throw failure(answer, writing: scope) }
        guard let json = answer.json, let number = json.member("id").flatMap({ json.number($0) }) else {
          throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
        }
        return .success(number)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// - Parameter generation: counts how often GitHub rejected the key.
  func key(_ scope: GitHubScope, generation: Int) async throws(RemoteFailure) -> GitHubKey {
    let result = await keys.value("\(generation) \(scope.secrets.joined(separator: "/"))") { [self] in
      do throws(RemoteFailure) {
        let answer = try await send(Call(.get, scope.secrets + ["public-key"]), for: scope)
        guard answer.meaning == .ok else { throw failure(answer, writing: scope) }
        guard let key = answer.json.flatMap({ GitHubKey($0) }) else {
          throw RemoteFailure(.unreadable, RemoteMessages.reason(.notAPublicKey))
        }
        return .success(key)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
