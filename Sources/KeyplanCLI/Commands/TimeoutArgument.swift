internal import ArgumentParser
internal import KeyplanModel

/// A timeout as a command-line argument: `30s`, `5m`; `0s` does not wait.
struct TimeoutArgument: ExpressibleByArgument, Sendable {
  let interval: Interval
  var duration: Duration { .seconds(interval.seconds) }

  init?(argument: String) {
    let seconds = argument == "0s" || argument == "0" ? 0 : Interval(argument)?.seconds
    guard let seconds else { return nil }
    interval = Interval(seconds: seconds)
  }
}
