import KeyplanCore

/// A manifest as written: each part read by itself and held against nothing else. What could not be read is left out, and
/// has been said.
struct RawManifest {
  var store: Written<String>?
  var storePassword: Reference?
  var defaultEnvironment: Written<String>?
  var recipients: [Named<Recipient, RawRecipient>]?
  var recipientsPlace: Place?
  var connections: [Named<RawConnection, Void>] = []
  var providers: [Named<Provider, RawProvider>] = []
  var policies: [Named<Expiry, Expiry?>] = []
  var keys: [Named<Key, RawKey>] = []
  var slots: [Named<Slot, [Written<String>]?>] = []
  var calendars: [Named<Account, RawCalendar>] = []
  var targets: [Named<Target, RawTarget>] = []
  var migrations: [RawMigration] = []
  var rules: [Named<Rule, RawRule>] = []
}

/// A value and where it stands.
struct Written<Value> {
  let value: Value
  let place: Place
}

/// What a section declares under a name.
struct Named<Thing, Value> {
  let name: Identifier<Thing>
  /// Where the name stands.
  let place: Place
  let value: Value
}

/// A named way to a vault; only its name counts yet.
enum RawConnection {}

enum RawRecipient {
  case key(String, can: Recipient.Role)
  case passphrase
  case unreadable
}

struct RawProvider {
  /// Whether it is named and nothing is said of it: a built-in one as it is.
  var isBare = true
  var format: FormatPattern?
  var variable: String?
}

struct RawKey {
  var provider: Written<String>?
  var model: String?
  /// Nil without a source.
  var sources: [RawSource]?
  var expires: RawExpiry?
  var issued: Moment?
  var variable: Written<String>?
  /// Where it stands that a name may be unsafe; nil where it does not.
  var unsafeName: Place?
  var follow = Key.Follow.always
  var isProtected = false
  var labels: [String: String] = [:]
}

enum RawSource {
  case supported(Reference)
  /// In words, what cannot be read yet.
  case unsupported(String, Place)
  case unreadable
}

enum RawExpiry {
  case policy(Written<String>)
  case own(Expiry)
}

struct RawTarget {
  /// Nil for a target that could not be read.
  var type: Written<String>?
  /// A file's path; nil for other targets.
  var path: Written<String>?
  /// What names the place of a target that is not a file, in the order of its type's fields; optional ones with the field's name.
  var parts: [String] = []
  /// Whether all parts that are required could be read.
  var isComplete = true
  var entries: [RawEntry] = []
  var takeOver = false
  /// Where it stands that names may be unsafe; nil where it does not.
  var unsafeName: Place?
  var mode: FileMode?
}

struct RawEntry {
  let name: Target.Entry.Name
  /// Where the name stands, for two that are the same.
  let place: Place
  let feed: Written<RawFeed>
}

enum RawFeed {
  case key(String)
  case slot(String)
}

struct RawCalendar {
  /// The fields that take a reference, beside the client's secret.
  static let secrets = ["password", "token", "keyFile"]

  var place: Place?
  var clientPlace: Place?
  /// Nil where it could not be read.
  var service: AccountFacts.Service?
  var account: String?
  var calendar: String?
  var client: String?
  var tenant: String?
  var isTesting = false
  var signIn: Account.SignIn?
  var url: String?
  /// By field; `secret` is the client's.
  var references: [String: RawSource] = [:]
  var expires: RawExpiry?
  var endpoints: [AccountFacts.Endpoint: String] = [:]
  /// Where each field stands; those of the client as `client.id`.
  var places: [String: Place] = [:]
}

struct RawMigration {
  enum Origin {
    case moved(Written<String>)
    case adopted(RawSource, original: Written<String>?)
  }

  let number: Int
  let place: Place
  let origin: Origin?
  let to: Written<String>?
}

struct RawRule {
  /// Nil for all.
  var environments: [String]?
  /// Nil for all.
  var keys: [Written<String>]?
  var maxAge: Interval?
  var allowSources: [Written<String>]?
  var forbidSources: [Written<String>]?
  var allowProviders: [Written<String>]?
}
