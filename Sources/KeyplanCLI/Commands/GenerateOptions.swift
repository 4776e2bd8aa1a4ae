internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanReporting

/// The options for generating a value.
struct GenerateOptions: ParsableArguments {
  @Flag(help: "Generate a random value.")
  var generate = false

  @Option(help: ArgumentHelp("The number of random bytes, from 16 to 1024 (default: 32).", valueName: "count"))
  var bytes: Int?

  @Option(help: ArgumentHelp("How the random bytes are written (default: hex).", valueName: "format"))
  var format: FormatArgument?

  /// `hex`, `base64url` or `uuid`.
  struct FormatArgument: ExpressibleByArgument {
    let format: GeneratedValue.Format

    init?(argument: String) {
      guard let format = GeneratedValue.Format(rawValue: argument) else { return nil }
      self.format = format
    }

    static var allValueStrings: [String] { GeneratedValue.Format.allCases.map(\.rawValue) }
  }

  /// Nil without --generate.
  func generated() throws(Failure) -> GeneratedValue? {
    guard generate else {
      guard bytes == nil, format == nil else {
        throw Failure(
          .usage, "Option without --generate", "--bytes and --format require --generate.", hint: "Add --generate.")
      }
      return nil
    }
    if let value = GeneratedValue(format?.format ?? .hex, bytes: bytes) { return value }
    guard format?.format != .uuid else {
      throw Failure(.usage, "Invalid --bytes", "A UUID has a fixed length.", hint: "Leave out --bytes.")
    }
    let allowed = GeneratedValue.allowedBytes
    throw Failure(
      .usage, "Invalid --bytes", "--bytes must be between \(allowed.lowerBound) and \(allowed.upperBound).")
  }
}
