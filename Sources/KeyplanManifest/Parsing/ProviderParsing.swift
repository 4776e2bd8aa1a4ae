import KeyplanCore
import KeyplanYAML

extension ManifestParser {
  mutating func provider(_ tree: LayeredNode) -> RawProvider {
    var provider = RawProvider()
    guard !tree.isNull, let fields = fields(tree, .provider) else { return provider }
    provider.isBare = fields.isEmpty
    provider.format = format(fields["format"])
    provider.variable = variable(fields["variable"], "variable")?.value
    check(fields["check"])
    return provider
  }

  private mutating func check(_ tree: LayeredNode?) {
    guard let tree, let fields = fields(tree, .check) else { return }
    if let address = required("url", of: fields, in: tree) { _ = url(address, "url") }
    if let header = text(fields["header"], "header"), header.value.range(ofFirst: "{key}") == nil {
      notes.conceal(header.place)
      notes.report(.invalidValue, "\"header\" must contain {key} in the place of the key.", at: header.place)
    }
    for name in ["valid", "invalid"] { statuses(fields[name], name) }
  }

  private mutating func statuses(_ tree: LayeredNode?, _ field: String) {
    guard let tree else { return }
    guard case .list(let items) = tree.content else {
      return wrongType(tree, "\"\(field)\"", mustBe: "a list of numbers")
    }
    for item in items {
      if case .scalar(let scalar) = item.content, case .int(let status) = scalar.resolved, (100...599).contains(status)
      {
        continue
      }
      notes.report(.invalidValue, "\"\(field)\" must list HTTP statuses: numbers from 100 to 599.", at: item.place)
    }
  }
}
