/// The reason that a series cannot be expanded.
enum SeriesFault: Error {
  case event(ICalFault)
  /// It takes too many steps.
  case exhausted
}
