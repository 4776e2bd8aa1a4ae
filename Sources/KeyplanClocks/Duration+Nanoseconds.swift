extension Duration {
  /// Rounded down; at most about 290 years.
  package var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooLarge else { return seconds < 0 ? .min / 2 : .max / 2 }
    return max(.min / 2, min(.max / 2, product &+ attoseconds / 1_000_000_000))
  }
}
