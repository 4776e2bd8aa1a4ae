import KeyplanHTTP

/// Asks a server on this machine for a page, many times: `keyplan-requests PORT COUNT AT-ONCE`. How long the process takes
/// is what is measured.
@main
enum Requests {
  static func main() async throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 3 else { throw Wrong.usage }
    let address = try HTTPAddress("http://127.0.0.1:\(numbers[0])/")
    var settings = HTTPSettings()
    settings.atOnce = numbers[2]
    let client = HTTPClient(settings)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<numbers[1] { group.addTask { try await client.send(HTTPRequest(.get, address)).status } }
      for try await status in group where status != 200 { throw Wrong.status(status) }
    }
  }

  enum Wrong: Error {
    case usage
    case status(Int)
  }
}
