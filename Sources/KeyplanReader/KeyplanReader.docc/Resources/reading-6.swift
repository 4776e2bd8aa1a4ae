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

  func follow() async {
    for await change in reader.changes(of: .key(.openWeatherMap)) {
      switch change.kind {
      case .changed: print("\(change.item) of \(change.provider ?? "its provider") has a new value")
      case .removed(let reason): print("\(change.item) is gone: \(reason.rawValue)")
      }
    }
  }
}
