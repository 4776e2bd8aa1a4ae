import KeyplanJSON
import KeyplanModel

extension DescriptionFault {
  /// The error as a sentence.
  package var detail: String {
    switch kind {
    case .malformed(let detail): detail
    case .wrongType(let expected): "Expected \(expected.words)\(place)."
    case .unknownField(let name): "\"\(name)\" is not a field\(container)."
    case .duplicateField(let name): "\"\(name)\" occurs twice."
    case .missingField(let name): "The field \"\(name)\" is missing\(place)."
    case .notOneOf(let words): "Expected one of these words\(place): \(words.joined(separator: ", "))."
    case .pattern: "The pattern\(place) is not supported."
    case .brace: "A brace\(place) does not belong to a variable, such as {name}."
    case .unknownTransform(let name): "\"\(name)\" is not a transform."
    case .unknownVariable(let name): "{\(name)} is not a variable here\(place)."
    case .textBesideVariable: "The text beside a variable\(place) has characters that the service could read as syntax."
    case .invalidText: "The text\(place) cannot be part of an address or a header."
    case .secretNotAllowed(let name): "{\(name)} is a secret, which must not be\(place.isEmpty ? " here" : place)."
    case .jsonBesideText(let name): "{\(name)} is JSON, which can only be a whole value in a JSON body\(place)."
    case .secretRequired(let name): "\"\(name)\"\(place) is not a field of type secret."
    case .host: "The host of an address must be literal text, or a field of type url or label."
    case .path: "A path must begin with /."
    case .pointerSyntax: "The JSON Pointer\(place) is not valid."
    case .pointerIndex: "A JSON Pointer\(place) has an index; only names and * are supported."
    case .methods: "A request\(place) has exactly one of get, post, put, patch and delete."
    case .severalBodies: "A request\(place) has at most one of json, form and raw."
    case .missingWithoutEvidence:
      "A rule\(place) reads \"missing\" from the status alone, which a wrong address has, too."
    case .severalCredentials: "A way to sign in\(place) has only one of bearer, header, basic and a signature."
    case .anonymousWithCredential:
      "Access without a credential\(place) is the last way to sign in, and has no other field."
    case .unsupportedSigner(let name): "Requests cannot be signed with \"\(name)\"."
    case .cannotObserve: "No request reads names or values, so what is written could not be compared."
    case .createWithoutUpdate: "\"create\" and \"update\" must both be there."
    case .severalWaysToWrite: "\"put\" excludes \"create\" and \"update\"."
    case .nameNotSent: "The request\(place) sends neither {name} nor {id}."
    case .neverRead(let name): "{\(name)} is used, but no request reads it."
    case .guardWithoutStale: "{version} is sent, but no rule says what the answer to another version is."
    case .objectWithoutValues: "The whole object is replaced, but its values are not read."
    case .keyNotSent: "The check\(place) does not send {key}."
    case .noBuiltInCheck: "There is no built-in check of this provider, so an address alone has no use."
    case .verdictWithoutCondition: "A rule\(place) applies to every answer, also to one from another server."
    case .severalWaysToMint: "Keys are made by a request or by a person: \"mint\" excludes \"manual\"."
    case .mintRepeated: "The rule\(place) would repeat a request that makes a key each time."
    case .noKeyRead: "The answer that makes a key has no value besides its id\(place)."
    case .labelNotSent: "The list reads the names of keys, but mint does not send {label}\(place)."
    case .notAnInterval: "Expected a time such as 2d or 12h\(place)."
    case .unknownSource(let id): "\"\(id)\" is not declared in sources\(place)."
    case .unusedSource(let id): "Nothing names the source \"\(id)\"."
    case .variablesNotAllowed: "A description in the manifest cannot name variables of the environment."
    case .chainNotAllowed: "A description in the manifest cannot use the machine's own credentials."
    }
  }

  /// The fix; nil if the detail says it.
  package var hint: String? {
    switch kind {
    case .missingWithoutEvidence: "Add a condition on the body (at, text) or on a header."
    case .keyNotSent: "Add auth: bearer: \"{key}\", or a header or a query parameter with {key}."
    case .noBuiltInCheck: "Describe the request in check."
    case .verdictWithoutCondition: "Add a status, or a condition on the body (at, text) or on a header."
    case .guardWithoutStale: "Add a rule to outcomes: then: stale."
    case .createWithoutUpdate, .severalWaysToWrite: "Use either put, or create and update."
    case .variablesNotAllowed: "Name the variable in the connection: token: env://NAME."
    case .chainNotAllowed: "Refer to a credential in the connection: token: env://NAME."
    case .unknownSource(let id): "Declare the document: sources: {\(id): …}."
    case .unusedSource(let id): "Write source: \(id) where the document is used, or remove it from sources."
    case .pattern:
      "A pattern consists of characters, classes, groups, alternatives and repeats with numbers: [A-Z_]{1,255}."
    case .unsupportedSigner: "Use rs256 or sigv4."
    default: nil
    }
  }

  private var place: String { path.isEmpty ? "" : " in \(path)" }
  private var container: String { path.isEmpty ? "" : " of \(path)" }
}

extension DescriptionFault.Expected {
  fileprivate var words: String {
    switch self {
    case .object: "a mapping"
    case .list: "a list"
    case .text: "text"
    case .boolean: "true or false"
    case .number: "a whole number"
    case .scalar: "text or a number"
    case .extract: "a JSON Pointer, or a mapping with one"
    }
  }
}
