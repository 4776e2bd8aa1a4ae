import KeyplanReader
import KeyplanReaderStore

struct Weather {
  let reader: KeyReader

  init() throws {
    var options = ReaderOptions()
    options.ages[.openWeatherMap] = CacheAges(fresh: .seconds(600), stale: .seconds(7 * 86_400))
    options.report = { notice in print("warning: \(notice)") }
    reader = KeyReader(try StoreKeys(), options: options)
  }

  func header() async throws -> String {
    try await reader.key(.openWeatherMap).withText { "Bearer \($0)" }
  }
}
