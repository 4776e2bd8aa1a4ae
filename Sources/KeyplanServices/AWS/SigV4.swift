import Crypto
package import KeyplanHTTP
import KeyplanModel
package import KeyplanSecrets

/// AWS's Signature Version 4, in the header `Authorization` (IAM User Guide, "Create a signed AWS API request").
package struct SigV4: Sendable {
  package let credentials: AWSCredentials
  package let region: String
  package let service: String

  /// The request to sign.
  package struct Request: Sendable {
    package let method: String
    /// Encoded as it is sent.
    package var path = "/"
    /// Encoded as it is sent, in order of names.
    package var query = ""
    /// Without `x-amz-date`; names in lower case, `host` among them.
    package var headers: [(name: String, value: HTTPValue)]
    package let body: SecretBox

    package init(
      method: String, path: String = "/", query: String = "", headers: [(name: String, value: HTTPValue)],
      body: SecretBox
    ) {
      (self.method, self.path, self.query, self.headers, self.body) = (method, path, query, headers, body)
    }
  }

  /// The date as the header `x-amz-date` has it: `20150830T123600Z`.
  package let date: String

  /// - Parameter date: seconds since 1970.
  package init(_ credentials: AWSCredentials, region: String, service: String, date: Int64) {
    self.credentials = credentials
    self.region = region
    self.service = service
    self.date = AWSTime.basic(date)
  }

  /// The value of the header `Authorization`. It has a signature, and no secret.
  package func authorization(_ request: Request) -> String {
    var headers = request.headers + [("x-amz-date", .open(date))]
    if let token = credentials.sessionToken { headers.append(("x-amz-security-token", .secret(token))) }
    headers.sort { $0.name < $1.name }
    let signed = headers.map(\.name).joined(separator: ";")
    let scope = "\(date.prefix(8))/\(region)/\(service)/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(Self.hash(of: request, headers, signed))"
    let signature = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key).hexadecimal
    return "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyId)/\(scope), SignedHeaders=\(signed), "
      + "Signature=\(signature)"
  }

  /// The hash of the canonical request. It is computed in parts, because headers can contain the session token.
  private static func hash(
    of request: Request, _ headers: [(name: String, value: HTTPValue)], _ signed: String
  ) -> String {
    var hash = SHA256()
    hash.update(data: Array("\(request.method)\n\(request.path)\n\(request.query)\n".utf8))
    for (name, value) in headers {
      hash.update(data: Array("\(name):".utf8))
      switch value {
      case .open(let text): hash.update(data: Array(canonical(text).utf8))
      case .secret(let secret, let prefix):
        hash.update(data: Array(prefix.utf8))
        secret.withBytes { hash.update(bufferPointer: $0) }
      }
      hash.update(data: [UInt8(ascii: "\n")])
    }
    hash.update(data: Array("\n\(signed)\n".utf8))
    hash.update(data: Array(Self.hash(of: request.body).utf8))
    return hash.finalize().hexadecimal
  }

  /// Without spaces at the ends, and one for several.
  private static func canonical(_ text: String) -> String { text.split(separator: " ").joined(separator: " ") }

  private var key: SymmetricKey {
    let prefix = Array("AWS4".utf8)
    let start = Secret(count: prefix.count + credentials.secretAccessKey.count) { memory in
      memory.copyBytes(from: prefix)
      credentials.secretAccessKey.withBytes {
        UnsafeMutableRawBufferPointer(rebasing: memory[prefix.count...]).copyMemory(from: $0)
      }
    }
    let first = start.withBytes { SymmetricKey(data: $0) }
    return [String(date.prefix(8)), region, service, "aws4_request"].reduce(first) { key, part in
      SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
    }
  }
}
