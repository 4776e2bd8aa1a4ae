import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

@Suite struct DiagnosticOrderTests {
  private static let place = FileLocation(file: "keyplan.yaml", line: 2, column: 1)
  private static let key: Identifier<Key> = named("a")
  private static let destination = Destination(type: "dotenv", location: "app.env")
  /// Errors first, then by place, address, code and what distinguishes two of one code.
  private static let ordered = [
    Diagnostic(.key(key, .noValue), at: place), Diagnostic(.wrongType, "One.", at: place),
    Diagnostic(.wrongType, "Two.", at: place), Diagnostic(.key(key, .isActive(in: named("s"), isUndeclared: false))),
    Diagnostic(.key(key, .isOnly)), Diagnostic(.key(key, .isProtected(isUndeclared: false))),
    Diagnostic(.key(key, .breaksRule(named("r"), at: nil, .age(.days(2), limit: .days(1))))),
    Diagnostic(.key(key, .breaksRule(named("r"), at: nil, .provider("p", allowed: [])))),
    Diagnostic(.target(named("t"), .notAllowed(destination))), Diagnostic(.store(.forgetsMany([key], of: 9))),
    Diagnostic(.store(.withdrawsMany(["A"], of: 9))), Diagnostic(.store(.signsOutAll([named("x")]))),
    Diagnostic(.key(key, .expired(on: now))),
  ]

  @Test("the order is the same, whatever is reported first", arguments: 1...20)
  func shuffled(seed: Int) {
    var random = Seeded(seed: UInt64(seed))
    #expect(Self.ordered.shuffled(using: &random).sorted() == Self.ordered)
  }
}
