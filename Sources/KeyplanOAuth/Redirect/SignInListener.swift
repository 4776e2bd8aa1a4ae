import Dispatch
package import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits on this machine for the browser's redirect after a sign-in, or for the user to paste its address.
///
/// Serves a single sign-in and a single response. Requests that do not match are answered and ignored, so that no other
/// web page can end the wait.
package final class SignInListener: Sendable {
  /// The result of the wait.
  package enum Ending: Sendable {
    /// With an authorization code.
    case code(SecretBox)
    /// The service refused or the user declined.
    case refused(Refusal)
    /// No response arrived in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The system reported an error.
    case failed(ListeningError)
  }

  private let socket: LoopbackSocket

  /// Starts to listen, on a port chosen by the system.
  package init() throws(ListeningError) { socket = try LoopbackSocket() }

  /// The port on 127.0.0.1.
  package var port: Int { socket.port }

  /// Waits for the response to a sign-in. To be called once.
  ///
  /// - Parameters:
  ///   - terminal: the terminal on which the user may paste the address at which the browser ended, line by line.
  ///   - limit: the maximum time to wait.
  ///   - misread: called if a pasted line is not a response to this sign-in.
  package func answer(
    to signIn: SignIn, pastedAt terminal: Int32? = nil, within limit: Duration,
    misread: @escaping @Sendable () -> Void = {}
  ) async -> Ending {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return .failed(ListeningError(errno)) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let (wake, waker) = (ends[0], ends[1])
    defer {
      close(wake)
      close(waker)
    }
    let server = RedirectServer(socket: socket, signIn: signIn, wake: wake, limit: limit, misread: misread)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A separate thread, since it blocks for minutes.
        DispatchQueue(label: "keyplan.sign-in").async {
          var server = server
          continuation.resume(returning: server.run(terminal))
        }
      }
    } onCancel: {
      var byte: UInt8 = 1
      _ = write(waker, &byte, 1)
    }
  }
}
