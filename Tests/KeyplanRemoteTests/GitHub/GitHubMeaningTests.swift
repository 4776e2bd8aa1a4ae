import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The answers of GitHub whose own words say more than their code.
@Suite struct GitHubMeaningTests {
  private func meaning(
    _ status: Int, _ body: String, _ headers: [String: String] = [:]
  ) -> ServiceClient.Meaning? {
    let response = HTTPResponse(status: status, headers: headers, body: SecretBox(Array(body.utf8)))
    return GitHubMeaning.of(response, JSONAnswer(response.body), now: 0)
  }

  @Test("a field that GitHub does not accept is named, and no text of the answer that could be a value")
  func fields() {
    func said(_ errors: String) -> String? {
      let meaning = meaning(422, #"{"message":"Validation Failed canary","errors":\#(errors)}"#)
      #expect(meaning?.answer == .refused)
      return meaning?.say
    }
    #expect(
      said(#"[{"resource":"Secret","code":"missing_field","field":"key_id"}]"#)
        == "GitHub does not accept the request: missing_field key_id (HTTP 422).")
    for errors in [
      #"[{"code":"custom","field":"sk-canary"}]"#, #"[{"code":"CANARY","field":"key_id"}]"#, #"[{"code":"invalid"}]"#,
      #"["canary"]"#, "[]", "null", #"[{"code":"a","field":"\#(String(repeating: "x", count: 41))"}]"#,
    ] { #expect(said(errors) == nil, "\(errors)") }
    #expect(meaning(422, "<html>")?.say == nil)
  }

  @Test("an archived repository is not a missing permission")
  func archived() {
    let meaning = meaning(403, #"{"message":"Repository was archived so is read-only."}"#)
    #expect(meaning?.answer == .refused)
    #expect(meaning?.say?.contains("archived") == true && meaning?.hint?.contains("Unarchive") == true)
    #expect(self.meaning(403, #"{"message":"Must have admin rights to Repository."}"#)?.answer == .denied)
  }
}
