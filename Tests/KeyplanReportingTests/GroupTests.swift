import KeyplanModel
import KeyplanPlanning
import ReportSamples
import Testing

@testable import KeyplanReporting

@Suite("What has one cause is reported once")
struct GroupTests {
  private static func fault(
    _ line: Int, _ detail: String = "No provider is called \"a\".", _ code: Diagnostic.Code = .undeclaredName,
    hint: String? = nil, because cause: Diagnostic.Cause? = nil
  ) -> Diagnostic {
    Diagnostic(
      code, detail, hint: hint, at: FileLocation(file: "keyplan.yaml", line: line, column: 3),
      of: .key(Sample.key("k\(line)")),
      because: cause)
  }

  @Test("the same words in one file are one report, with the first five keys")
  func same() throws {
    let (groups, left) = DiagnosticGroup.grouped((1...10_000).map { Self.fault($0) }, showsAll: false)
    #expect(groups.count == 1 && left.isEmpty)
    let also = try #require(groups.first?.also)
    #expect(also == "key.k2, key.k3, key.k4, key.k5 and 9,995 more")
  }

  @Test("another hint is another report")
  func hints() {
    let faults = [Self.fault(1, hint: "Did you mean b?"), Self.fault(2), Self.fault(3)]
    let groups = DiagnosticGroup.grouped(faults, showsAll: false).groups
    #expect(groups.map(\.first) == [faults[0], faults[1]])
    #expect(groups.map(\.also) == [nil, "key.k3"])
  }

  @Test("one fault of one source names the keys that meet it, and no key in its words")
  func causes() {
    let cause = Diagnostic.Cause("dotenv://.env", "Line 4: the quote has no end.")
    let faults = (1...3).map {
      Self.fault($0, "dotenv://.env#K\($0) for \"k\($0)\".", .sourceUnreadable, because: cause)
    }
    let groups = DiagnosticGroup.grouped(faults, showsAll: false).groups
    #expect(groups.map(\.detail) == ["dotenv://.env: Line 4: the quote has no end."])
    #expect(groups.map(\.also) == ["key.k2, key.k3"])
    let one = DiagnosticGroup.grouped([faults[0]], showsAll: false).groups
    #expect(one.map(\.detail) == ["dotenv://.env#K1 for \"k1\"."] && one.map(\.also) == [nil])
  }

  @Test("twenty reports of one code in one file are enough, and the rest is counted")
  func families() {
    let faults = (1...2_000).map { Self.fault($0, "There is no field \"f\($0)\".", .unknownField) } + [Self.fault(1)]
    let (groups, left) = DiagnosticGroup.grouped(faults, showsAll: false)
    #expect(groups.count == 21)
    #expect(left.map(\.words) == ["and 1,980 more in keyplan.yaml: Unknown field"])
    #expect(DiagnosticGroup.grouped(faults, showsAll: true).groups.count == 2_001)
  }

  @Test("names of one target that changed in the same way are one finding")
  func findings() {
    func finding(_ name: String, _ kind: Finding.Kind = .targetChanged) -> Finding {
      Finding(Sample.fact(kind), at: .entry(Sample.target("app"), name: name), level: .broken, since: nil)
    }
    let names = ["A", "B", "C", "D", "E", "F", "G"]
    let groups = FindingGroup.grouped(names.map { finding($0) } + [finding("H", .targetMissing)], showsAll: false)
    #expect(groups.map(\.subject) == ["target.app", "target.app.H"])
    #expect(groups.map(\.list) == ["A, B, C, D, E and 2 more", nil])
    #expect(FindingMessages(groups[0]).headline == "7 values differ")
    #expect(FindingGroup.grouped(names.map { finding($0) }, showsAll: true).count == 7)
  }

  @Test("what has no address, or the one of the first, is named by its place")
  func places() {
    let place = FileLocation(file: "keyplan.yaml", line: 7, column: 1)
    let faults = [Self.fault(1), Diagnostic(.undeclaredName, "No provider is called \"a\".", at: place)]
    #expect(DiagnosticGroup.grouped(faults, showsAll: false).groups.map(\.also) == ["keyplan.yaml:7:1"])
  }

  @Test("different causes with one remedy are one list, which names keys and says the remedy once")
  func remedies() {
    func missing(_ line: Int) -> Diagnostic {
      Self.fault(line, "dotenv://.env#K\(line) has no value.", .secretNotFound, hint: "Set it.")
    }
    let text = DiagnosticText.render((1...40).map(missing), style: Style())
    #expect(
      text == """
        error: Secret not found (20)
          key.k1: dotenv://.env#K1 has no value.
          key.k2: dotenv://.env#K2 has no value.
          key.k3: dotenv://.env#K3 has no value.
          key.k4: dotenv://.env#K4 has no value.
          key.k5: dotenv://.env#K5 has no value.
          also key.k6, key.k7, key.k8, key.k9, key.k10 and 10 more. `--all` shows all.
          hint: Set it.

        and 20 more in keyplan.yaml: Secret not found. `--all` shows all.

        40 errors

        """)
    #expect(DiagnosticText.render((1...40).map(missing), style: Style(showsAll: true)).contains("keyplan.yaml:40:3"))
    // Two are shown whole, and so is what has to be changed in its line.
    #expect(DiagnosticText.render((1...2).map(missing), style: Style()).contains("keyplan.yaml:2:3: dotenv"))
    let fields = (1...3).map { Self.fault($0, "There is no field \"f\($0)\".", .unknownField) }
    #expect(DiagnosticText.render(fields, style: Style()).contains("keyplan.yaml:3:3: There"))
  }

  @Test("what a list leaves out is nowhere else, and the sum counts all of it")
  func text() {
    let faults = (1...22).map { Self.fault($0, "There is no field \"f\($0)\".", .unknownField) }
    let text = DiagnosticText.render(faults, style: Style())
    #expect(
      text.hasSuffix("\nand 2 more in keyplan.yaml: Unknown field. `--all` shows all.\n\n22 errors\n"), "\(text)")
    let all = DiagnosticText.render(faults, style: Style(showsAll: true))
    #expect(all.contains("f22") && !all.contains("--all"))
  }
}
