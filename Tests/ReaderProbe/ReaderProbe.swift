// For tests with several processes: reader-probe ADDRESS CACHE TASKS
//
// Reads one key in many tasks at once, and prints the values that they were given, how often something could not be cached, and errors.
import KeyplanReader
import KeyplanReaderHTTP

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@main
struct ReaderProbe {
  static func main() async throws {
    let words = CommandLine.arguments
    guard words.count == 4, let tasks = Int(words[3]) else { exit(64) }
    var options = ReaderOptions()
    options.cache = .directory(words[2])
    options.report = { notice in
      let line = Array("notice: \(notice)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
    }
    let reader = KeyReader(try HTTPKeys(words[1]), options: options)
    var found: [String: Int] = [:]
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          do throws(KeyError) {
            let key = try await reader.key(APIKeyName("maps"))
            return key.value.withBytes { String(decoding: $0, as: UTF8.self) } + (key.freshness.isStale ? " stale" : "")
          } catch {
            return "error \(error.reason.rawValue)"
          }
        }
      }
      for await text in group { found[text, default: 0] += 1 }
    }
    for (text, count) in found.sorted(by: { $0.key < $1.key }) { print("\(count) \(text)") }
  }
}
