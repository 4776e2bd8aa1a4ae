import Foundation
import KeyplanDocuments
import TestTools
import Testing

/// Each program reads what keyplan wrote, and what it reads is compared with what is said about it.
@Suite("Other readers of dotenv files")
struct DotenvReaderTests {
  @Test("a POSIX shell", arguments: [2, 3]) func shell(seed: UInt64) throws {
    let values = awkwardValues(2000, seed: seed)
    let file = try values.enumerated().flatMap { index, value in try Self.line("V\(index)", value, index) }
    let answer = try withFile(file) { try Child.answer(["sh", "-c", "set -a; . \"$0\"; exec env -0", $0]).bytes }
    let variables = Set(answer.split(separator: 0).map(Array.init))
    let read = values.indices.map { variables.contains(Array("V\($0)=\(values[$0])".utf8)) }
    compare(read, .shell, values)
  }

  private static let hasNode: Bool = {
    let script = "process.exit(require('util').parseEnv ? 0 : 1)"
    return (try? Child.answer(["node", "-e", script]).status) == 0
  }()

  @Test("Node", .enabled(if: hasNode, "SKIPPED: node 20.12 or later is not installed"), arguments: [4, 5])
  func node(seed: UInt64) throws {
    let script = """
      const texts = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
      const parse = require("util").parseEnv;
      process.stdout.write(JSON.stringify(texts.map((text) => parse(Buffer.from(text, "base64").toString()))));
      """
    try check(.node, seed) { try Child.answer(["node", "-e", script, $0]).bytes }
  }

  private static let interpreter = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]
  /// In CI it has to be there.
  private static let canJudge = interpreter != nil || ProcessInfo.processInfo.environment["CI"] != nil

  @Test(
    "python-dotenv",
    .enabled(if: canJudge, "SKIPPED: KEYPLAN_TEST_PYTHON is the path of a Python with python-dotenv"),
    arguments: [6, 7])
  func pythonDotenv(seed: UInt64) throws {
    let script = """
      import base64, dotenv, io, json, sys
      texts = [base64.b64decode(text).decode() for text in json.load(open(sys.argv[1]))]
      print(json.dumps([dotenv.dotenv_values(stream=io.StringIO(text, newline="")) for text in texts]))
      """
    try check(.pythonDotenv, seed) { try Child.answer([Self.interpreter ?? "", "-c", script, $0]).bytes }
  }

  /// Where Debian's php-vlucas-phpdotenv has it.
  private static let autoload = "/usr/share/php/Dotenv/autoload.php"
  private static let hasPHP =
    FileManager.default.fileExists(atPath: autoload) && (try? Child.answer(["php", "-v"]).status) == 0

  @Test(
    "phpdotenv, which reads more than is said",
    .enabled(if: hasPHP, "SKIPPED: php-cli and php-vlucas-phpdotenv are not installed"), arguments: [8, 9])
  func phpDotenv(seed: UInt64) throws {
    let script = """
      require "\(Self.autoload)";
      $read = [];
      foreach (json_decode(file_get_contents($argv[1])) as $text) {
        try { $read[] = (object) Dotenv\\Dotenv::parse(base64_decode($text)); } catch (Throwable $e) { $read[] = new stdClass; }
      }
      echo json_encode($read);
      """
    try check(.phpDotenv, seed, isExact: false) { try Child.answer(["php", "-r", script, $0]).bytes }
  }

  /// The line of a value that is new, or in place of one in either quotes.
  private static func line(_ name: String, _ value: String, _ index: Int) throws -> [UInt8] {
    var document = try DotenvDocument(["", "\(name)='old'\n", "\(name)=\"old\"\n"][index % 3])
    try document.set(name, to: value)
    return document.bytes
  }

  /// Has a program read each value in a file of its own, in which another name follows.
  private func check(
    _ reader: DotenvReader, _ seed: UInt64, isExact: Bool = true, _ read: (String) throws -> [UInt8]
  ) throws {
    let values = awkwardValues(2000, seed: seed)
    let texts = try values.enumerated().map { index, value in
      Data(try Self.line("V", value, index) + Array("Z=1\n".utf8)).base64EncodedString()
    }
    let answer = try withFile(Array(JSONEncoder().encode(texts)), read)
    let found = try JSONDecoder().decode([[String: String?]].self, from: Data(answer))
    try #require(found.count == values.count)
    let isRead = zip(found, values).map { names, value in
      Array((names["V"] ?? nil)?.utf8 ?? "?".utf8) == Array(value.utf8) && names["Z"] == "1"
    }
    compare(isRead, reader, values, isExact: isExact)
  }

  private func compare(_ isRead: [Bool], _ reader: DotenvReader, _ values: [String], isExact: Bool = true) {
    for (value, isRead) in zip(values, isRead) {
      let isSaid = !DotenvReader.misreading(Array(value.utf8)).contains(reader)
      #expect(isExact ? isRead == isSaid : isRead || !isSaid, "\(reader): \(value.debugDescription)")
    }
    // Both happen, or nothing was compared.
    #expect(isRead.contains(true) && isRead.contains(false))
  }
}
