import KeyplanModel
import KeyplanYAML

extension ManifestParser {
  mutating func provider(_ tree: LayeredNode) -> RawProvider {
    var provider = RawProvider()
    guard !tree.isNull, let fields = fields(tree, .provider) else { return provider }
    provider.isBare = fields.isEmpty
    provider.format = format(fields["format"])
    provider.variable = variable(fields["variable"], "variable")?.value
    provider.address = fields["address"].flatMap { url($0, "address") }
    provider.check = fields["check"]
    if let check = provider.check, fields["address"] == nil {
      _ = required(
        "address", of: fields, in: check, hint: "Write the provider's address, for example https://api.example.com")
    }
    provider.place = (fields["check"] ?? fields["address"])?.place
    return provider
  }
}
