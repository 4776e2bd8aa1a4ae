import KeyplanModel
import Testing

@testable import KeyplanReporting

@Suite("Failures as text")
struct RenderingFailureTests {
  @Test("are set as diagnostics are: in the width there is, and in colour where there is colour")
  func prose() {
    let failure = Failure(
      .storeRefused, "Wrong identity", "The identity in id.txt does not open default.db.",
      hint: "Name another with --identity FILE.")
    #expect(
      FailureText.render(failure, style: Style(width: 40)) == """
        error: Wrong identity
          The identity in id.txt does not open
          default.db.
          hint: Name another with --identity
                FILE.

        """)
    let coloured = FailureText.render(failure, style: Style(usesColour: true))
    #expect(coloured.hasPrefix("\u{1b}[1;31merror:\u{1b}[0m \u{1b}[1mWrong identity\u{1b}[0m\n"))
    #expect(coloured.contains("\n  \u{1b}[36mhint:\u{1b}[0m Name another"))
  }

  @Test("a command is on one line, however narrow the page is: it will be pasted")
  func command() {
    let failure = Failure(.failed, "Too open", "One.\nTwo.", hint: "chmod 600 -- '/home/ada/a long name/identity.txt'")
    #expect(
      FailureText.render(failure, style: Style(width: 30)) == """
        error: Too open
          One.
          Two.
          hint: chmod 600 -- '/home/ada/a long name/identity.txt'

        """)
  }

  @Test("what stands between backticks is not broken, where a line can hold it")
  func quoted() {
    let failure = Failure(
      .usage, "No choice", "Say so with `-e staging`, or `a line that no page of this width can hold`, or `not closed.")
    #expect(
      FailureText.render(failure, style: Style(width: 30)) == """
        error: No choice
          Say so with `-e staging`, or
          `a line that no page of this
          width can hold`, or
          `not closed.

        """)
  }
}
