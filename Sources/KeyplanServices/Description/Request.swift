package import KeyplanHTTP
import KeyplanJSON

extension SecretAPI {
  /// One request.
  package struct Request: Hashable, Sendable {
    package var method: HTTPRequest.Method
    package var path: Template
    /// The beginning of the address where it is not the service's; for logins.
    package var base: Template?
    package var query: [Named<Parameter>] = []
    package var headers: [Named<Template>] = []
    package var body: Body?
    /// Tried before the service's own.
    package var outcomes: [OutcomeRule] = []

    package init(_ method: HTTPRequest.Method, _ path: Template) {
      self.method = method
      self.path = path
    }

    /// The names of all variables.
    package var variables: Set<String> {
      var names = path.variables.union(base?.variables ?? [])
      for parameter in query { names.formUnion(parameter.value.variables) }
      for header in headers { names.formUnion(header.value.variables) }
      return names.union(body?.variables ?? [])
    }
  }

  /// A value in a query or a form.
  package typealias Parameter = Template

  package enum Body: Hashable, Sendable {
    case json(BodyTree)
    case form([Named<Parameter>])
    /// The value of a variable, unchanged.
    case raw(Template.Variable)

    package var variables: Set<String> {
      switch self {
      case .json(let tree): tree.variables
      case .form(let fields): fields.reduce(into: []) { $0.formUnion($1.value.variables) }
      case .raw(let variable): [variable.name]
      }
    }
  }

  /// A way to sign in.
  package struct SignInMethod: Hashable, Sendable {
    /// The fields that it needs; without any it is always possible.
    package var when: [String] = []
    /// Whether requests carry no credential. It comes after all others, and is always possible.
    package var isAnonymous = false
    /// The chain that finds the machine's own credential for the vendor; for built-in descriptions only.
    package var chain: AmbientChain?
    /// Members of credentials that are JSON objects.
    package var members: [MemberSet] = []
    /// Created for each sign-in.
    package var assertion: Assertion?
    /// Requests that exchange the fields for a credential of this run, in order.
    package var login: [Login] = []
    package var credential: Credential?
    /// A request that every valid credential may send: whether *denied* means that the credential is invalid.
    package var verify: Request?
    /// Sent at the end of a run that logged in.
    package var logout: Request?

    /// Whether signing in again gives another credential.
    package var isRenewable: Bool { !login.isEmpty || assertion != nil || chain != nil }

    /// The names of variables without which it cannot be used, of the connection's fields and of those that it makes itself.
    package var required: Set<String> {
      var names = Set(when).union(members.map(\.field)).union(assertion?.variables ?? [])
      switch credential {
      case .sigv4(let signature): names.formUnion(signature.required)
      case let credential?: names.formUnion(credential.variables)
      case nil: break
      }
      return names
    }

    /// The names of variables that it also uses if they have values.
    package var optional: Set<String> { (credential?.variables ?? []).subtracting(required) }
  }

  /// A request whose answer holds a credential of this run.
  package struct Login: Hashable, Sendable {
    package var request: Request
    package var yields: [Named<Extract>]
  }

  /// The part of a request that carries the credential.
  package enum Credential: Hashable, Sendable {
    case bearer(Template)
    case headers([Named<Template>])
    case basic(user: Template, password: Template)
    /// In the query: for checks of a provider's key only.
    case query([Named<Template>])
    case sigv4(AWSSignature)

    /// The names of all variables.
    package var variables: Set<String> {
      switch self {
      case .bearer(let template): template.variables
      case .headers(let named), .query(let named): named.reduce(into: []) { $0.formUnion($1.value.variables) }
      case .basic(let user, let password): user.variables.union(password.variables)
      case .sigv4(let signature): signature.variables
      }
    }
  }

  /// A request whose answer has values that other requests need.
  package struct Lookup: Hashable, Sendable {
    package let name: String
    package var request: Request
    package var yields: [Named<Extract>]
  }

  /// A request that every valid credential may send, without a place.
  package struct Account: Hashable, Sendable {
    package var request: Request
    /// The name of the credential's owner in the answer.
    package var name: Extract?
  }

  /// Verifies the kind of the place, and reads its permanent id.
  package struct Identify: Hashable, Sendable {
    package var request: Request
    package var expect = Match()
    package var identity: Extract?
    /// The sentence to show if the place is not the expected one.
    package var say: String?
  }
}
