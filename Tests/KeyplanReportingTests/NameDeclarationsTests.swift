import KeyplanModel
import TestTools
import Testing

@testable import KeyplanReporting

@Suite("Names as code")
struct NameDeclarationsTests {
  private func key(_ provider: String) -> Key { Key(facts: KeyFacts(provider: provider), sources: []) }

  private func identifier<Thing>(_ name: String) throws -> Identifier<Thing> { try #require(Identifier<Thing>(name)) }

  private func manifest(
    _ keys: [String: String], slots: [String: [String]] = [:], accounts: [String] = []
  ) throws -> Manifest {
    let account = Account(facts: AccountFacts(service: .google, account: "a@example.com"), signIn: .browser)
    return Manifest(
      keys: Dictionary(uniqueKeysWithValues: try keys.map { (try identifier($0.key), key($0.value)) }),
      slots: Dictionary(
        uniqueKeysWithValues: try slots.map { slot in
          (try identifier(slot.key), Slot(candidates: try slot.value.map { try identifier($0) }))
        }),
      accounts: Dictionary(uniqueKeysWithValues: try accounts.map { (try identifier($0), account) }))
  }

  @Test("in Swift extend the types of KeyplanReader, sorted, with what the manifest says of each")
  func swift() throws {
    let manifest = try manifest(
      ["openai-main": "openai", "2captcha": "generic", "default": "generic"],
      slots: ["assistant": ["openai-main", "default"]],
      accounts: ["home_office"])
    #expect(
      try NameDeclarations(manifest).text(in: .swift, .public) == """
        // Written by `keyplan generate swift` from the names in the manifest. Do not edit it.

        public import KeyplanReader

        extension APIKeyName {
          /// A key of generic.
          public static let _2captcha = APIKeyName("2captcha")
          /// A key of generic.
          public static let `default` = APIKeyName("default")
          /// A key of openai.
          public static let openaiMain = APIKeyName("openai-main")
        }

        extension SlotName {
          /// The active key: openai-main, otherwise default.
          public static let assistant = SlotName("assistant")
        }

        extension AccountName {
          /// A calendar account at google.
          public static let homeOffice = AccountName("home_office")
        }

        """)
    #expect(try NameDeclarations(manifest).text(in: .swift).contains("\n  static let openaiMain = "))
  }

  @Test("in TypeScript are constant objects and unions, in Python enumerations of strings")
  func others() throws {
    let manifest = try manifest(["openai-main": "openai", "none": "generic"])
    #expect(
      try NameDeclarations(manifest).text(in: .typescript) == """
        // Written by `keyplan generate typescript` from the names in the manifest. Do not edit it.

        /** The keys. */
        export const APIKeyName = {
          /** A key of generic. */
          none: "none",
          /** A key of openai. */
          openaiMain: "openai-main",
        } as const;

        export type APIKeyName = (typeof APIKeyName)[keyof typeof APIKeyName];

        """)
    #expect(
      try NameDeclarations(manifest).text(in: .python) == """
        # Written by `keyplan generate python` from the names in the manifest. Do not edit it.

        from enum import StrEnum


        class APIKeyName(StrEnum):
            \"\"\"The keys.\"\"\"

            #: A key of generic.
            NONE = "none"
            #: A key of openai.
            OPENAI_MAIN = "openai-main"

        """)
  }

  @Test(
    "that are one identifier are an error that names both",
    arguments: [
      (["a-b", "a_b"], NameDeclarations.Language.swift, "aB"), (["a-b", "a--b"], .typescript, "aB"),
      (["a", "a-"], .swift, "a"), (["gpt-4", "gpt4"], .swift, "gpt4"), (["a-b", "a_b"], .python, "A_B"),
    ])
  func collide(names: [String], language: NameDeclarations.Language, identifier: String) throws {
    let manifest = try manifest(Dictionary(uniqueKeysWithValues: names.map { ($0, "generic") }))
    let collision = #expect(throws: NameDeclarations.Collision.self) {
      _ = try NameDeclarations(manifest).text(in: language)
    }
    #expect(Set([collision?.first, collision?.second]) == Set(names) && collision?.identifier == identifier)
  }

  @Test("that differ in Python alone are no error there")
  func apart() throws {
    let manifest = try manifest(["gpt-4": "generic", "gpt4": "generic"])
    #expect(try NameDeclarations(manifest).text(in: .python).contains("    GPT_4 = \"gpt-4\"\n"))
  }

  @Test(
    "cannot end a comment or a line with a provider's name",
    arguments: [
      "x\nimport Evil", "x\rimport Evil", "x\u{2028}import Evil", "x */ evil() /*", "x\\u002a/", "x\"\"\"\nevil()",
      "x`${evil()}", "x\u{202e}evil", "x\u{0}",
    ])
  func hostile(provider: String) throws {
    let harmless = try manifest(["a": String(repeating: "x", count: provider.unicodeScalars.count)])
    let manifest = try manifest(["a": provider])
    for language in NameDeclarations.Language.allCases {
      let (text, plain) = (
        try NameDeclarations(manifest).text(in: language), try NameDeclarations(harmless).text(in: language)
      )
      #expect(text.split(whereSeparator: \.isNewline).count == plain.split(whereSeparator: \.isNewline).count)
      #expect(text.unicodeScalars.allSatisfy { $0.isASCII && ($0 == "\n" || $0.value >= 32) })
      for sign in ["*/", "\"\"\"", "\\", "$"] {
        #expect(text.components(of: sign) == plain.components(of: sign), "\(sign) in \(text)")
      }
    }
  }

  @Test("are recognized by their first line, and nothing else is")
  func held() throws {
    for language in NameDeclarations.Language.allCases {
      let text = try NameDeclarations(try manifest(["a": "generic"])).text(in: language)
      #expect(NameDeclarations.isHeld(by: Array(text.utf8)))
      #expect(!NameDeclarations.isHeld(by: Array(("\n" + text).utf8)))
    }
    #expect(!NameDeclarations.isHeld(by: Array("// Written by hand\n".utf8)))
  }
}

extension String {
  fileprivate func components(of sign: String) -> Int { split(separator: sign, omittingEmptySubsequences: false).count }
}
