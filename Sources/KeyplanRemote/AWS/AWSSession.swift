import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanServices

/// A connection to AWS during one run: its configuration is read once, and it signs in once.
final class AWSSession: Sendable {
  let context: ConnectionContext
  private let transport: RemoteTransport
  private let lane: Lane
  private let configurations: SharedResults<AWSConfiguration>
  private let signIn: AWSSignIn

  /// Sends nothing, and reads no file.
  init(_ context: ConnectionContext) {
    let lane = Lane(width: context.backend.pace?.concurrency ?? Pace().concurrency)
    var settings = context.environment.http
    // As for AWS's own programs, it replaces the usual variable.
    if let authorities = context.environment.variable("AWS_CA_BUNDLE") { settings.authorities = authorities }
    let final = settings
    let transport = context.environment.transport(final)
    let configurations = SharedResults<AWSConfiguration>()
    self.context = context
    self.lane = lane
    self.transport = transport
    self.configurations = configurations
    signIn = AWSSignIn(now: transport.now) { () async throws(RemoteFailure) in
      let configuration = try await Self.configuration(context, configurations)
      return try await AWSCredentialSearch(
        configuration: configuration, transport: transport, settings: final, lane: lane
      ).credentials()
    }
  }

  /// A client of a service, with the connection's credential.
  func client(_ service: AWSService) async throws(RemoteFailure) -> AWSClient {
    let configuration = try await Self.configuration(context, configurations)
    return AWSClient(
      endpoint: try configuration.endpoint(service), transport: transport, lane: lane, signIn: signIn)
  }

  /// The owner of the credential: `arn:aws:iam::123456789012:user/ci`.
  func signedInAs() async -> SignedInAs {
    do throws(RemoteFailure) {
      let client = try await client(.sts)
      let identity = try await AWSTokenService.identity(client)
      guard let step = try await signIn.credentials().step else { return .known(identity) }
      return .found(owner: identity, step: step)
    } catch {
      return .failed(error.asAccess)
    }
  }

  private static func configuration(
    _ context: ConnectionContext, _ known: SharedResults<AWSConfiguration>
  ) async throws(RemoteFailure) -> AWSConfiguration {
    let result = await known.value("configuration") {
      do throws(RemoteFailure) {
        return .success(try await AWSConfiguration.load(for: context))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
