package import KeyplanModel

/// A service that keeps secrets, described as data: how to sign in, and how to list, read, write and delete. One
/// interpreter carries out all of them, so that a description can decide what is sent, but not to which other host, and
/// never which code runs.
package struct SecretAPI: Hashable, Sendable {
  /// The backend's name: `gitlab`.
  package var name: String
  /// Its name for people: `GitLab CI/CD variables`.
  package var summary = ""
  /// The documents that its statements come from, by id: the vendor's documentation, clients and schemas, with their versions or dates.
  package var sources: [Named<String>] = []
  /// The statements about the service, with the ids of documents.
  package var statements: [Statement] = []
  /// Whether it was judged in full by neither the service nor its own client.
  package var isPreview = false
  /// The fields for signing in.
  package var connection: [Field] = []
  /// The fields that name a place in the service.
  package var target: [Field] = []
  /// The address that all requests begin with, except logins that have their own.
  package var base = Template()
  /// Sent with every request.
  package var headers: [Named<Template>] = []
  /// The ways to sign in; the first whose fields have values is used.
  package var auth: [SignInMethod] = []
  /// The paths that `{place}` can be; the first whose fields have values.
  package var places: [PlacePath] = []
  /// Values that must be asked for before a request that uses them; each may use those before it.
  package var lookups: [Lookup] = []
  package var identify: Identify?
  package var account: Account?
  package var names: Names?
  package var limits = Limits()
  package var pace = Pace()
  package var takesEffect = TakesEffect.now
  package var rights: Rights?
  /// Other effects of the service, which a plan states at the steps that cause them.
  package var notices: [TargetNotice] = []

  package var list: Read?
  package var readMany: Read?
  package var read: Read?
  package var put: Write?
  package var create: Write?
  package var update: Write?
  package var delete: Write?
  package var putMany: WriteMany?
  /// The value of `{version}` for a name that is absent.
  package var absentVersion: JSONLiteral?
  /// Tried after the rules of a request and before the built-in ones.
  package var outcomes: [OutcomeRule] = []

  package var check: Check?
  package var rotate: Rotate?

  package init(name: String) { self.name = name }
}

/// A value with its name, where the order matters.
package struct Named<Value: Hashable & Sendable>: Hashable, Sendable {
  package let name: String
  package let value: Value

  package init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }
}

extension SecretAPI {
  /// The names that the service takes.
  package struct Names: Hashable, Sendable {
    package var rule: NameRule
    /// Names that the service itself puts into a list.
    package var ignore: Set<String> = []
  }

  /// The values that the service takes.
  package struct Limits: Hashable, Sendable {
    /// The maximum size in bytes.
    package var value = 65536
    /// The minimum size in bytes.
    package var least = 0
    /// Whether values need not be UTF-8.
    package var bytes = false
  }

  /// The limits on the rate of requests to the service.
  package struct Pace: Hashable, Sendable {
    /// The maximum number of concurrent requests.
    package var concurrency = 1
    /// The number of writes after which there is a gap between two of them.
    package var after = 0
    /// The gap in seconds.
    package var gap = 0
    /// The maximum time in seconds that one request spends on pauses.
    package var patience = 30
  }

  /// The permissions that a token needs, in the service's words: the hint if it lacks them.
  package struct Rights: Hashable, Sendable {
    package var read: String?
    package var write: String?
  }

  /// The path that `{place}` is if all of these fields have values.
  package struct PlacePath: Hashable, Sendable {
    package let fields: [String]
    package let path: Template
    /// Variables that only such a place has.
    package var values: [Named<Template>] = []
  }

  /// All requests of the description with their locations: `auth/0/login/0`.
  package var requests: [Named<Request>] {
    var all: [Named<Request>] = []
    func add(_ name: String, _ request: Request?) { if let request { all.append(Named(name, request)) } }
    for (index, method) in auth.enumerated() {
      for (step, login) in method.login.enumerated() { add("auth/\(index)/login/\(step)", login.request) }
      add("auth/\(index)/verify", method.verify)
      add("auth/\(index)/logout", method.logout)
    }
    for lookup in lookups { add("lookups/\(lookup.name)", lookup.request) }
    add("identify", identify?.request)
    add("account", account?.request)
    add("list", list?.request)
    add("readMany", readMany?.request)
    add("read", read?.request)
    for (name, write) in [("put", put), ("create", create), ("update", update), ("delete", delete)] {
      add(name, write?.request)
      for (index, before) in (write?.before ?? []).enumerated() { add("\(name)/before/\(index)", before) }
    }
    add("putMany", putMany?.request)
    add("putMany/whenEmpty", putMany?.whenEmpty)
    return all
  }
}
