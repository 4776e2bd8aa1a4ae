import Foundation
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

@testable import KeyplanReader

/// A reader with a scripted source, a clock that the test moves, and a cache in a folder of its own.
final class Bench: Sendable {
  let time = FakeTime()
  let source: ScriptedSource
  let scratch: Scratch
  let notices = Notices()

  final class Notices: Sendable {
    private let all = Mutex<[ReaderNotice]>([])
    func add(_ notice: ReaderNotice) { all.withLock { $0.append(notice) } }
    var list: [ReaderNotice] { all.withLock { $0 } }
  }

  init() throws {
    source = ScriptedSource("scripted", time)
    scratch = try Scratch()
  }

  var folder: String { scratch["cache"] }

  var options: ReaderOptions {
    var options = ReaderOptions()
    options.cache = .directory(folder)
    options.standardAges = CacheAges(fresh: .seconds(100), stale: .seconds(1000))
    options.timeout = FakeTime.timeout
    options.clock = time.clock()
    options.report = { [notices] in notices.add($0) }
    return options
  }

  /// Another process, as far as the cache and its locks are concerned.
  func reader(_ change: (inout ReaderOptions) -> Void = { _ in }) -> KeyReader {
    var options = options
    change(&options)
    return KeyReader(source, options: options)
  }

  var requests: Int { source.requests.count }

  /// The paths of the sealed values.
  func files() throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.utf8.count == 32 }.sorted().map {
      "\(folder)/\($0)"
    }
  }
}

/// The reason of the error that is thrown; nil if none is.
func reason(_ body: () async throws(KeyError) -> APIKey) async -> KeyError.Reason? {
  do throws(KeyError) {
    _ = try await body()
    return nil
  } catch {
    return error.reason
  }
}
