import KeyplanHTTP
import KeyplanJSON
import KeyplanServices

/// The meaning of GitHub's answers. A 403 can be a missing permission, too many requests, or single sign-on; a 404 hides
/// what the token may not see.
enum GitHubMeaning {
  /// - Parameter now: seconds since 1970.
  static func of(_ response: HTTPResponse, _ json: JSONAnswer?, now: Int64) -> ServiceClient.Meaning? {
    switch response.status {
    case 403, 429:
      if response.header("retry-after") != nil { return .init(.throttled) }
      if response.header("x-ratelimit-remaining") == "0" {
        let reset = response.header("x-ratelimit-reset").flatMap { Int64($0) } ?? now + 60
        return .init(.throttled, pause: .seconds(max(0, min(reset - now, 86_400))))
      }
      let message = json?.member("message").flatMap { json?.text($0) } ?? ""
      // GitHub's documentation requires a minute if the response has no time.
      if response.status == 429 || message.contains("secondary rate limit") {
        return .init(.throttled, pause: .seconds(60))
      }
      if let header = response.header("x-github-sso") {
        return .init(.denied, say: GitHubMessages.signOn, hint: GitHubMessages.signOnHint(host(in: header)))
      }
      if message.contains("archived") {
        return .init(.refused, say: GitHubMessages.archived, hint: GitHubMessages.archivedHint)
      }
      if message.contains("not accessible by integration") {
        return .init(.denied, hint: GitHubMessages.integrationHint)
      }
      return json == nil ? .init(.unreadable) : .init(.denied)
    case 404: return json == nil ? .init(.unreadable) : .init(.denied, say: GitHubMessages.notFound)
    case 301, 307, 308: return .init(.unreadable, say: GitHubMessages.moved, hint: GitHubMessages.movedHint)
    case 422: return .init(.refused, say: json.flatMap(fault).map(GitHubMessages.rejected))
    default: return nil
    }
  }

  /// The rejected field of the request, after the reason: `missing_field key_id`.
  private static func fault(in json: JSONAnswer) -> String? {
    guard let first = json["errors"]?.elements?.first else { return nil }
    let words = ["code", "field"].compactMap { json.text($0, of: first) }
    let isHarmless = words.allSatisfy { word in
      (1...40).contains(word.utf8.count)
        && word.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7a).contains($0) }
    }
    return words.count == 2 && isHarmless ? words.joined(separator: " ") : nil
  }

  /// The host of the URL in `required; url=https://…`. The URL itself has a code for the user in it.
  private static func host(in header: String) -> String? {
    guard let start = header.firstRange(of: "url=")?.upperBound else { return nil }
    let text = header[start...].prefix { $0 != ";" && $0 != "," && $0 != "?" }
    return (try? HTTPAddress(String(text)))?.host
  }
}
