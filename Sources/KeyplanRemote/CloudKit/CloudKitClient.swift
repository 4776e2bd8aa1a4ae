import KeyplanCloudKit
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Sends the requests of one connection: signs each attempt, and repeats what may be repeated.
final class CloudKitClient: Sendable {
  let context: ConnectionContext
  private let transport: RemoteTransport
  private let lane: Lane
  private let credentials = SharedResults<CloudKitCredential>()

  init(_ context: ConnectionContext) {
    self.context = context
    transport = context.environment.transport(context.environment.http)
    lane = Lane(width: context.backend.pace?.concurrency ?? 1)
  }

  var host: String { (try? HTTPAddress(context.text("address") ?? ""))?.host ?? "CloudKit" }

  func credential() async throws(RemoteFailure) -> CloudKitCredential {
    try await credentials.value("") { [context] in
      do throws(RemoteFailure) {
        return .success(try await CloudKitCredential(context))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  /// Sends a request and repeats it as far as its answers and the run's patience allow. A write is repeated only if the
  /// service says that it was not processed.
  /// - Throws: `RemoteFailure` if there is no credential, or the request cannot be made.
  func send(_ operation: CloudKitRequest.Operation, _ body: SecretBox) async throws(RemoteFailure) -> CloudKitAnswer {
    let schema = try CloudKitSchema(context)
    let credential = try await credential()
    var budget = RetryBudget()
    while true {
      // A signature is valid for ten minutes, which repeating may exceed.
      let request = try request(operation, body, credential, schema)
      let answer = await exchange(request)
      budget.countTransmission()
      guard Self.isRepeated(after: answer, operation), let pause = budget.pause(asked: answer.pause) else {
        return answer
      }
      await transport.pause(pause)
    }
  }

  /// Seconds since 1970.
  var now: Int64 { transport.now() }

  func pause(_ duration: Duration) async { await transport.pause(duration) }

  private func exchange(_ request: HTTPRequest) async -> CloudKitAnswer {
    await lane.pass {
      do throws(HTTPError) {
        return CloudKitAnswer(try await transport.send(request))
      } catch {
        return CloudKitAnswer(error)
      }
    }
  }

  private func request(
    _ operation: CloudKitRequest.Operation, _ body: SecretBox, _ credential: CloudKitCredential,
    _ schema: CloudKitSchema
  ) throws(RemoteFailure) -> HTTPRequest {
    guard
      let request = CloudKitRequest.make(
        operation, body, at: context.text("address") ?? "", schema, credential, now: transport.now())
    else { throw RemoteFailure(.unreadable, RemoteMessages.reason(.address)) }
    return request
  }

  private static func isRepeated(after answer: CloudKitAnswer, _ operation: CloudKitRequest.Operation) -> Bool {
    guard answer.error?.isTimeout != true else { return false }
    let isWrite = operation == .modify
    return switch answer.meaning {
    // An error of the service itself that names no pause cannot be repeated.
    case .throttled: !(isWrite && answer.mayHaveBeenProcessed) && (answer.pause != nil || answer.code == nil)
    case .unreachable: !isWrite || answer.status == 421
    default: false
    }
  }

  /// Checks that the service accepts the credential.
  func verify() async throws(RemoteFailure) {
    let schema = try CloudKitSchema(context)
    let answer = try await send(.lookup, CloudKitBody.lookup([CloudKitRecord.recordName(of: "", schema)], schema))
    guard answer.meaning == .ok else { throw failure(answer) }
  }
}
