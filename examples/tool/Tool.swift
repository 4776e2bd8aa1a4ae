// Prints what a program may know of a key, and then each change of it: keyplan-reader-example MANIFEST IDENTITY CACHE KEY
//
// In a package of your own, these are the products "KeyplanReader" and "KeyplanReaderStore".
import KeyplanReader
import KeyplanReaderStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@main
struct Tool {
  static func main() async {
    let words = CommandLine.arguments
    guard words.count >= 5 else {
      print("usage: keyplan-reader-example MANIFEST IDENTITY CACHE KEY [watch]")
      exit(64)
    }
    do throws(KeyError) {
      var store = StoreKeys.Options()
      (store.manifest, store.identity) = (words[1], words[2])
      var options = ReaderOptions()
      options.cache = .directory(words[3])
      options.standardAges = CacheAges(fresh: .milliseconds(500), stale: .seconds(3600))
      let reader = KeyReader(try StoreKeys(store), options: options)
      let name = APIKeyName(words[4])
      let key = try await reader.key(name)
      // A real program gives key.value to its HTTP client.
      say(
        "\(key.name) of \(key.provider ?? "?"): \(key.value.count) bytes, \(key.freshness.isStale ? "stale" : "fresh")")
      guard words.dropFirst(5).first == "watch" else { return }
      for await change in reader.changes(of: [.key(name)], since: [key]) {
        switch change.kind {
        case .changed: say("\(change.item) changed: \(try await reader.key(name).value.count) bytes")
        case .removed(let reason):
          say("\(change.item) is gone: \(reason.rawValue)")
          return
        }
      }
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  /// At once, although standard output may be a pipe.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
