import KeyplanReader
import KeyplanReaderStore

struct Weather {
  let reader: KeyReader

  init() throws {
    reader = KeyReader(try StoreKeys())
  }

  func header() async throws -> String {
    try await reader.key(.openWeatherMap).withText { "Bearer \($0)" }
  }
}
