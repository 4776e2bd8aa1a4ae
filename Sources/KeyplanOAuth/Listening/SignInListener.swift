import Dispatch
package import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits on this machine for the browser that a sign-in sends back, and for a person who pastes the address instead.
///
/// It hears one sign-in and one answer: it is made for it and closed after it. What does not fit is answered and
/// forgotten, so that no page of somebody else's can end the wait.
package final class SignInListener: Sendable {
  /// How the wait ended.
  package enum Ending: Sendable {
    /// With a code to ask for tokens with.
    case code(SecretBox)
    /// The service or the person has said no.
    case refused(Refusal)
    /// Nobody came in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The system did not let it go on.
    case failed(ListeningError)
  }

  private let socket: LoopbackSocket

  /// Begins to listen, on a port that the system chooses.
  package init() throws(ListeningError) { socket = try LoopbackSocket() }

  /// On 127.0.0.1.
  package var port: Int { socket.port }

  /// Waits for the answer to a sign-in. To be called once.
  ///
  /// - Parameters:
  ///   - terminal: where a person may paste the address that the browser ended at, line by line.
  ///   - limit: how long.
  ///   - misread: called when a pasted line was no answer, or not to this sign-in.
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
    let vigil = RedirectServer(socket: socket, signIn: signIn, wake: wake, limit: limit, misread: misread)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A thread of its own: it waits for minutes.
        DispatchQueue(label: "keyplan.sign-in").async {
          var vigil = vigil
          continuation.resume(returning: vigil.keep(terminal))
        }
      }
    } onCancel: {
      var byte: UInt8 = 1
      _ = write(waker, &byte, 1)
    }
  }
}
