import KeyplanReporting
import Testing

@Suite("Commands that a text names")
struct ProjectOptionsTests {
  private let options = ProjectOptions(manifest: "a b/keyplan.yaml", environment: "production")

  @Test(
    "get the options that say which project is meant",
    arguments: [
      ("keyplan apply", "keyplan apply@"), ("keyplan keys set db --generate", "keyplan keys set@ db --generate"),
      ("keyplan keys", "keyplan keys@"), ("keyplan keys lists all.", "keyplan keys@ lists all."),
      ("Replace it, then: keyplan apply --only a.", "Replace it, then: keyplan apply@ --only a."),
      ("`keyplan drift`, or run keyplan plan.", "`keyplan drift@`, or run keyplan plan@."),
    ])
  func added(text: String, expected: String) {
    #expect(options.added(to: text) == expected.replacing("@", with: " -f 'a b/keyplan.yaml' -e production"))
  }

  @Test(
    "stay as they are if they mean no project, or have the option",
    arguments: [
      "keyplan identity new", "keyplan listens on this machine.", "Edit keyplan.yaml.", "mykeyplan plan", "",
      "keyplan plan -f x -e other", "keyplan plan --manifest x --environment other",
    ])
  func kept(text: String) { #expect(options.added(to: text) == text) }

  @Test(
    "never have an address with a password, wherever that has its special characters",
    arguments: ["postgres://u:canary@h/d", "postgres://u:ca/na@ry@h/d", "postgres://u@h/d?password=canary", "x://a:b@"])
  func password(store: String) { #expect(ProjectOptions(store: store).added(to: "keyplan plan") == "keyplan plan") }

  @Test("get only the options that they lack")
  func missing() {
    #expect(options.added(to: "keyplan plan -e other") == "keyplan plan -f 'a b/keyplan.yaml' -e other")
    #expect(ProjectOptions().added(to: "keyplan plan") == "keyplan plan")
    #expect(ProjectOptions(store: "s").added(to: "keyplan get a") == "keyplan get --store s a")
  }
}
