import KeyplanJSON
package import KeyplanModel

/// An error in a description, and its location.
package struct DescriptionFault: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The text is not a YAML document; with the parser's detail.
    case malformed(String)
    case wrongType(Expected)
    case unknownField(String)
    case duplicateField(String)
    case missingField(String)
    /// Not one of these words.
    case notOneOf([String])
    /// A pattern is outside of the supported subset of regular expressions.
    case pattern(FormatPattern.Fault)
    /// A brace that does not belong to a variable.
    case brace
    case unknownTransform(String)
    case unknownVariable(String)
    /// The service could interpret this literal text next to a variable as syntax.
    case textBesideVariable(String)
    /// Text that cannot be a part of an address or a header.
    case invalidText(String)
    /// This variable is a secret, which an address or a condition may not contain.
    case secretNotAllowed(String)
    /// This variable is JSON, which can only be a whole value in a JSON body.
    case jsonBesideText(String)
    /// Only a secret has members that a sign-in uses.
    case secretRequired(String)
    /// The host of an address can only be literal text, or come from a field of type `url` or `label`.
    case host
    /// A path that does not begin with a slash would continue the host's name.
    case path
    case pointerSyntax
    case pointerIndex
    /// A request has exactly one of `get`, `post`, `put`, `patch` and `delete`.
    case methods(Int)
    /// A request has at most one of `json`, `form` and `raw`.
    case severalBodies
    /// A rule that reads *missing* from a status alone: a wrong address has the same.
    case missingWithoutEvidence
    /// A way to sign in has one of `bearer`, `header`, `basic` and a signature.
    case severalCredentials
    /// Access without a credential is the last way to sign in, and has nothing else.
    case anonymousWithCredential
    /// This version cannot sign requests in this way.
    case unsupportedSigner(String)
    /// Requests read neither names nor values, so nothing that is written can be compared.
    case cannotObserve
    case createWithoutUpdate
    case severalWaysToWrite
    /// A request for one name that sends neither the name nor its id.
    case nameNotSent
    /// This variable is used, and no request reads it.
    case neverRead(String)
    /// A version is sent, but no rule says how the service answers if it is another one.
    case guardWithoutStale
    /// The whole object is replaced, and the list does not show its values.
    case objectWithoutValues
    /// A check sends the key nowhere.
    case keyNotSent
    /// The provider has no built-in check whose address could be replaced.
    case noBuiltInCheck
    /// A rule of a check applies to every answer.
    case verdictWithoutCondition
    /// Keys are made by a request or by a person, not both.
    case severalWaysToMint
    /// This rule would repeat a request that makes a key.
    case mintRepeated
    /// The request makes a key, and its answer gives the key nowhere.
    case noKeyRead
    /// Keys have names in the list, and the request that makes them sends no label.
    case labelNotSent
    /// Not an interval such as `2d`.
    case notAnInterval
    /// A statement names this source, which is not declared.
    case unknownSource(String)
    /// No statement names this source.
    case unusedSource(String)
    /// A description in a manifest names variables of the environment.
    case variablesNotAllowed
    /// A description in a manifest uses the machine's own credentials.
    case chainNotAllowed
  }

  package enum Expected: String, Hashable, Sendable {
    case object, list, text, boolean, number, scalar, extract
  }

  package let kind: Kind
  /// A JSON Pointer into the description.
  package let path: String
  /// From 1.
  package let line: Int
  /// From 1.
  package let column: Int

  package init(kind: Kind, path: String, line: Int, column: Int) {
    self.kind = kind
    self.path = path
    self.line = line
    self.column = column
  }
}
