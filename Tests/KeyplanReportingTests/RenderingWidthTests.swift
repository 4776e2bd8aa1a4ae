import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import KeyplanPorts
import ReportSamples
import TestTools
import Testing

@testable import KeyplanReporting

@Suite("Width and length")
struct RenderingWidthTests {
  @Test("no line is wider than the page while it has a place to break", arguments: [20, 40, 59, 60, 80, 132], 1...8)
  func width(_ width: Int, seed: Int) {
    var dice = Dice(seed: UInt64(seed))
    let steps = (0..<60).map { _ in Many.step(&dice) }
    let reports = steps.map { step -> StepReport in
      let reason = dice.words(12)
      return StepReport(
        step,
        [
          .done, .failed(.reported(reason: reason, isUnreachable: false)),
          .stale(.replaced(Destination(type: "dotenv", location: reason))),
          .notTried(.store(StoreError(.locked, reason))),
        ][dice.roll(4)])
    }
    let findings = steps.map {
      Finding(
        Sample.fact(Finding.Kind.allCases[dice.roll(10)], at: dice.name()), at: $0.address, level: .broken,
        since: Sample.now)
    }
    let diagnostics = steps.prefix(9).map {
      Diagnostic(
        .invalidValue, dice.words(20), hint: dice.words(20), at: FileLocation(file: dice.name(), line: 99, column: 40),
        of: $0.address)
    }
    for unicode in [true, false] {
      let style = Style(width: width, usesUnicode: unicode)
      let line = dice.words(30)
      let texts = [
        PlanText.render(
          PlanReport(
            Plan(steps: steps), diagnostics: diagnostics, environment: "e", store: Sample.store,
            recorded: Sample.recorded),
          style: style, at: Sample.now, source: { _ in line }),
        DriftText.render(DriftReport(findings, diagnostics: diagnostics, store: Sample.store), style: style),
        OutcomeText.render(reports, style: style),
        ShowText.store(Sample.recorded, style: style),
        ShowText.record(.key(Sample.key("claude")), in: Sample.recorded, style: style, at: Sample.now) ?? "",
      ]
      for line in texts.joined().split(separator: "\n") where Glyphs.columns(of: line) > width {
        #expect(!Strip.hasPlaceToBreak(line), "\(line)")
      }
      #expect(!texts.joined().contains(" \n"))
    }
  }

  @Test("no name is ever cut", arguments: [20, 40, 80])
  func whole(_ width: Int) {
    var dice = Dice(seed: 5)
    let names = Set((0..<12).map { _ in dice.name().uppercased() }).sorted()
    let write = TargetWrite(
      destination: Sample.app,
      entries: names.map { TargetWrite.Entry(name: $0, key: Sample.key("a"), reason: .new) }, total: 12)
    let steps = [Step(.outside(.sync(Sample.target("app"), write)), because: .manifest)]
    let text = PlanText.render(PlanReport(Plan(steps: steps)), style: Style(width: width), at: Sample.now)
    let words = Set(text.split { $0 == " " || $0 == "\n" || $0 == "," })
    #expect(names.allSatisfy { words.contains($0[...]) })
  }

  @Test("ten thousand steps are ten thousand rows, each once, in order")
  func many() {
    let text = PlanText.render(
      PlanReport(Plan(steps: Many.steps(10_000).reversed())), style: Style(width: 120), at: Sample.now)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("  + key.") }.map { $0.prefix(14).suffix(6) }
    #expect(rows.count == 10_000)
    #expect(rows == rows.sorted())
    #expect(rows.last == "k09999")
    #expect(text.contains("\nPlan: 10000 to store.\n"))
  }

  @Test("one long name does not push all the others aside")
  func longName() {
    let long = Sample.key(String(repeating: "k", count: 63))
    let steps = Sample.steps + [Step(.store(.key(long, .forget)), because: .manifest)]
    let text = PlanText.render(PlanReport(Plan(steps: steps)), style: Style(), at: Sample.now)
    #expect(text.contains("  - key.\(long)\n                       no longer declared\n"))
    #expect(text.contains("  > active.assistant   openai-main"))
  }
}

/// Steps in great number.
enum Many {
  static func steps(_ count: Int) -> [Step] {
    (0..<count).map {
      let digits = String($0)
      let key = Sample.key("k" + String(repeating: "0", count: 5 - digits.utf8.count) + digits)
      return Step(.store(.key(key, .store(KeyWrite(facts: Sample.openai, source: 0)))), because: .manifest)
    }
  }

  static func step(_ dice: inout Dice) -> Step {
    let key = Sample.key(dice.name())
    let cause = Cause.allCases[dice.roll(Cause.allCases.count)]
    let facts = KeyFacts(
      provider: dice.name(), model: dice.roll(2) == 0 ? nil : dice.name(), expiry: Sample.openai.expiry,
      sources: ["env://" + dice.name()])
    let names = (0..<dice.roll(20)).map { _ in dice.name() }
    let target = Sample.target(dice.name())
    let effects: [Effect] = [
      .store(.key(key, .store(KeyWrite(facts: facts, source: 0)))),
      .store(.key(key, .replace(KeyWrite(facts: facts, source: 0)))),
      .store(.key(Sample.key("claude"), .update(KeyWrite(facts: facts, source: 0)))),
      .store(.key(key, .retire)),
      .store(.key(key, .forget)),
      .store(.key(key, .move(from: Sample.key(dice.name())))),
      .store(.key(key, .adopt(KeyWrite(facts: facts, source: nil), from: "env://" + dice.name()))),
      .outside(.removeOriginal(migration: dice.roll(99) + 1, of: .key(key), from: "file://" + dice.name())),
      .store(.activate(Sample.slot(dice.name()), key, was: Sample.key(dice.name()))),
      .store(.key(key, .rollback(KeyRollback(to: 1, was: 2, rejected: nil)))),
      .store(.key(Sample.key("weather"), .restore(KeyRestoration(serial: 30, rejected: nil)))),
      .store(
        .key(
          key,
          .accept(
            KeyAcceptance(
              target: Sample.target("app"), destination: Sample.app, name: dice.words(3), rejected: nil)))),
      .store(.deactivate(Sample.slot(dice.name()), was: key)),
      .store(.settle(.target(target))),
      .outside(
        .sync(
          target,
          TargetWrite(
            destination: Sample.app,
            entries: names.map { TargetWrite.Entry(name: $0, key: key, reason: .changedThere) }, total: 20))),
      .outside(
        .withdraw(
          target, TargetRemoval(destination: Sample.app, names: names, released: names, isMove: dice.roll(2) == 0))),
      .store(.rewrap(Rewrap(recipients: [], added: names, removed: names))),
      .store(.allow(ExternalAccess(.command, dice.words(9)), AccessGrant([]))),
      .store(.disallow(ExternalAccess(.path, dice.words(3)))),
    ]
    return Step(effects[dice.roll(effects.count)], because: cause)
  }
}

/// The same throws for the same seed, on every machine (SplitMix64).
struct Dice {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func roll(_ sides: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ (mixed >> 31)) % UInt64(sides))
  }

  /// A name of 1 to 63 characters.
  mutating func name() -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return String((0...roll(63)).map { _ in alphabet[roll(alphabet.count)] })
  }

  mutating func words(_ count: Int) -> String {
    (0..<count).map { _ in String(name().prefix(roll(20) + 1)) }.joined(separator: " ")
  }
}

/// What lines look like to a reader.
enum Strip {
  /// The text without ANSI colours.
  static func colours(_ text: String) -> String {
    var result = ""
    var isCode = false
    for character in text {
      if character == "\u{1b}" { isCode = true }
      if !isCode { result.append(character) }
      if character == "m" { isCode = false }
    }
    return result
  }

  /// Whether a line has two words or more, a sign, a level or a key's name at its front not counted.
  static func hasPlaceToBreak(_ line: some StringProtocol) -> Bool {
    var words = line.split(separator: " ")
    let fronts: Set<String> = [
      "+", "-", "~", ">", "→", "->", "=", "!", "x", ".", "broken", "hint:", "store", "sources", "variable",
    ]
    if let first = words.first, fronts.contains(String(first)) { words.removeFirst() }
    return words.count > 1
  }
}
