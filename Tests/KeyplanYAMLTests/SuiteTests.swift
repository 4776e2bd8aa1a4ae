import Foundation
import KeyplanYAML
import Testing

/// The YAML test suite, all cases of it that are here.
@Suite struct SuiteTests {
  @Test("no case is missing")
  func complete() {
    #expect(SuiteCase.all.count == 200)
    #expect(SuiteCase.all.filter(\.mustFail).count == 48)
  }

  @Test("what must be refused is refused with a place within the document", arguments: SuiteCase.all.filter(\.mustFail))
  func refused(_ suiteCase: SuiteCase) throws {
    let fault = try #require(suiteCase.parsed.fault, "accepted")
    #expect(fault.mark.line >= 1 && fault.mark.column >= 1)
    #expect(0...suiteCase.bytes.count ~= fault.mark.offset)
  }

  @Test("what must be read is read as the JSON beside it", arguments: SuiteCase.all.filter(\.mustBeRead))
  func read(_ suiteCase: SuiteCase) throws {
    let node = try Node.parse(suiteCase.bytes)
    if let json = suiteCase.json, json.isEmpty {
      #expect(node.map { JSON($0) } == nil)
    } else if let json = suiteCase.json {
      #expect(try JSON(node) == JSONDecoder().decode(JSON.self, from: json))
    }
  }

  @Test("what we refuse though others read it is refused for the reason we give", arguments: SuiteCase.refusals)
  func refusal(_ name: String, _ refusal: (code: YAMLError.Code, reason: String)) throws {
    let suiteCase = try #require(SuiteCase.all.first { $0.name == name })
    #expect(!suiteCase.mustFail)
    #expect(suiteCase.parsed.fault?.code == refusal.code, "it is read now: strike it from the list")
  }

  @Test("what we read otherwise is still read otherwise", arguments: SuiteCase.otherwise)
  func otherwise(_ name: String, _ reason: String) throws {
    let suiteCase = try #require(SuiteCase.all.first { $0.name == name })
    let json = try JSONDecoder().decode(JSON.self, from: #require(suiteCase.json))
    #expect(try JSON(Node.parse(suiteCase.bytes)) != json, "it is read well now: strike it from the list")
  }
}

/// One case of the suite.
struct SuiteCase: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let json: Data?
  let mustFail: Bool

  var testDescription: String { name }
  var mustBeRead: Bool { !mustFail && Self.refusals[name] == nil && Self.otherwise[name] == nil }
  var parsed: (node: Node?, fault: YAMLError?) {
    do throws(YAMLError) { return (try Node.parse(bytes), nil) } catch { return (nil, error) }
  }

  /// Cases that the suite wants read and we refuse, with the reason.
  static let refusals: [String: (code: YAMLError.Code, reason: String)] = [
    "2LFX": (.syntax, "libyaml refuses directives that it does not know, where YAML has them ignored"),
    "35KP": (.severalDocuments, "there are several documents"),
    "4ABK": (.syntax, "libyaml demands a value or a space where a colon begins an absent one"),
    "5TYM": (.tag, "it has tags that are not of the core schema"),
    "652Z": (.syntax, "libyaml reads the text that begins with ? or : in brackets as an indicator"),
    "6BCT": (.syntax, "libyaml takes no tab for white space in these places"),
    "6CA3": (.syntax, "libyaml takes no tab for white space in these places"),
    "6CK3": (.tag, "it has tags that are not of the core schema"),
    "6LVF": (.syntax, "libyaml refuses directives that it does not know, where YAML has them ignored"),
    "6M2F": (.syntax, "libyaml demands a value or a space where a colon begins an absent one"),
    "6WLZ": (.tag, "it has tags that are not of the core schema"),
    "6XDY": (.severalDocuments, "there are several documents"),
    "7FWL": (.tag, "it has tags that are not of the core schema"),
    "8XYN": (.syntax, "libyaml takes only ASCII letters, digits, - and _ in the names of anchors"),
    "96NN-00": (.syntax, "libyaml takes no tab for white space in these places"),
    "9DXL": (.severalDocuments, "there are several documents"),
    "9WXW": (.tag, "it has tags that are not of the core schema"),
    "A2M4": (.syntax, "libyaml takes no tab for white space in these places"),
    "C4HZ": (.tag, "it has tags that are not of the core schema"),
    "CC74": (.tag, "it has tags that are not of the core schema"),
    "DBG4": (.syntax, "libyaml reads the text that begins with ? or : in brackets as an indicator"),
    "FP8R": (.syntax, "libyaml demands that text at the root be indented behind | and >"),
    "FRK4": (.syntax, "libyaml demands a value or a space where a colon begins an absent one"),
    "HM87-01": (.syntax, "libyaml reads the text that begins with ? or : in brackets as an indicator"),
    "HWV9": (.syntax, "libyaml demands a document before the mark that ends it"),
    "J7PZ": (.tag, "it has tags that are not of the core schema"),
    "L383": (.severalDocuments, "there are several documents"),
    "M2N8-00": (.syntax, "libyaml demands a value or a space where a colon begins an absent one"),
    "MUS6-06": (.syntax, "libyaml refuses directives that it does not know, where YAML has them ignored"),
    "NHX8": (.syntax, "libyaml demands a value or a space where a colon begins an absent one"),
    "NJ66": (.syntax, "libyaml demands the colon in brackets on the line of its key"),
    "PUW8": (.severalDocuments, "there are several documents"),
    "R4YG": (.syntax, "libyaml takes no tab for white space in these places"),
    "RZT7": (.severalDocuments, "there are several documents"),
    "U9NS": (.severalDocuments, "there are several documents"),
    "VJP3-01": (.syntax, "libyaml demands the colon in brackets on the line of its key"),
    "W4TN": (.syntax, "libyaml demands that text at the root be indented behind | and >"),
    "Y2GN": (.syntax, "libyaml takes only ASCII letters, digits, - and _ in the names of anchors"),
    "Y79Y-001": (.syntax, "libyaml takes no tab for white space in these places"),
    "Y79Y-010": (.syntax, "libyaml takes no tab for white space in these places"),
    "Z9M4": (.tag, "it has tags that are not of the core schema"),
  ]

  /// Cases that we read as something else than the suite does, with the reason.
  static let otherwise: [String: String] = [
    "JEF9-02": "libyaml takes spaces without a line break at the end of the file for no line",
    "L24T-01": "libyaml adds no line break to spaces at the end of the file",
  ]

  static let all: [SuiteCase] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/yaml-test-suite")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      let files = folder.appending(path: name)
      guard let bytes = try? Data(contentsOf: files.appending(path: "in.yaml")) else { return nil }
      return SuiteCase(
        name: name, bytes: [UInt8](bytes), json: try? Data(contentsOf: files.appending(path: "in.json")),
        mustFail: FileManager.default.fileExists(atPath: files.appending(path: "error").path))
    }
  }()
}

/// What JSON can say, to compare by.
enum JSON: Equatable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(_ node: Node?) {
    switch node?.content {
    case nil: self = .null
    case .sequence(let items): self = .array(items.map { JSON($0) })
    case .mapping(let entries):
      self = .object(
        Dictionary(entries.map { (Self.key($0.key), JSON($0.value)) }, uniquingKeysWith: { _, last in last }))
    case .scalar(let scalar):
      switch scalar.resolved {
      case .null: self = .null
      case .bool(let value): self = .bool(value)
      case .int(let value): self = .number(Double(value))
      case .float(let value): self = .number(value)
      case .string(let value): self = .string(value)
      }
    }
  }

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([JSON].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  private static func key(_ node: Node) -> String {
    if case .scalar(let scalar) = node.content { scalar.text } else { "\(node.content)" }
  }
}
