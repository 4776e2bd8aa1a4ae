import KeyplanHTTP
import KeyplanModel
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("The configuration of AWS") struct AWSConfigurationTests {
  private static let config = "\(AWSRun.home)/.aws/config"

  @Test("the region is that of the manifest, else of a variable, else of the profile")
  func region() async throws {
    var run = AWSRun()
    run.files = [Self.config: "[default]\nregion = from-default\n[profile ci]\nregion = from-ci\n"]
    run.variables = ["AWS_REGION": "from-variable", "AWS_DEFAULT_REGION": "from-other"]
    #expect(try await run.configuration(["region": .text("from-manifest")]).region() == "from-manifest")
    #expect(try await run.configuration().region() == "from-variable")
    run.variables["AWS_REGION"] = ""
    #expect(try await run.configuration().region() == "from-other")
    run.variables["AWS_DEFAULT_REGION"] = nil
    #expect(try await run.configuration().region() == "from-default")
    run.variables["AWS_PROFILE"] = "ci"
    #expect(try await run.configuration().region() == "from-ci")
    #expect(try await run.configuration(["profile": .text("default")]).region() == "from-default")
    run.files = [:]
    func reason(_ values: [String: Connection.Value] = [:]) async throws -> String? {
      let configuration = try await run.configuration(values)
      return #expect(throws: RemoteFailure.self) { try configuration.region() }?.reason
    }
    // A profile that is named and does not exist is the cause, not the region that it would have had.
    #expect(try await reason() == AWSMessages.noProfile("ci"))
    #expect(try await reason(["profile": .text("other")]) == AWSMessages.noProfile("other"))
    run.variables["AWS_PROFILE"] = nil
    #expect(try await reason() == AWSMessages.noRegion)
  }

  @Test("an address of a variable comes before that of the profile, and a service's own before that for all")
  func addresses() async throws {
    var run = AWSRun()
    run.files = [Self.config: "[default]\nendpoint_url = http://127.0.0.1:1\n"]
    run.variables["AWS_ENDPOINT_URL_SSM"] = "http://127.0.0.1:2/"
    func host(_ service: AWSService) async throws -> String { try await run.configuration().endpoint(service).host }
    #expect(try await host(.secretsManager) == "127.0.0.1:1")
    #expect(try await host(.parameterStore) == "127.0.0.1:2")
    run.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:3"
    #expect(try await host(.secretsManager) == "127.0.0.1:3")
    #expect(try await host(.parameterStore) == "127.0.0.1:2")
    run.variables["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] = "true"
    #expect(try await host(.sts) == "sts.eu-central-1.amazonaws.com")
    run.variables["AWS_USE_FIPS_ENDPOINT"] = "true"
    let configuration = try await run.configuration()
    #expect(throws: RemoteFailure.self) { try configuration.endpoint(.sts) }
  }

  @Test("AWS_CA_BUNDLE replaces the trusted certificates, and metadata services get little time")
  func settings() async throws {
    var run = AWSRun()
    run.variables = ["AWS_REGION": "eu-central-1", "AWS_CA_BUNDLE": "/ca.pem"]
    run.send = { _ in HTTPResponse(status: 404) }
    _ = await try run.secretsManager().signedInAs()
    #expect(run.settings.list.map(\.authorities) == ["/ca.pem", "/ca.pem"])
    #expect(run.settings.list.map(\.deadline) == [.seconds(600), .seconds(1)])
  }
}
