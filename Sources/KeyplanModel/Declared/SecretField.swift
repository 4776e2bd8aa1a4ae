/// Names of fields whose values are secrets, in queries of addresses, in forms and in connection strings: in lower case.
package enum SecretField {
  package static let passwords: Set<String> = ["password", "passwd", "pwd"]

  package static let all: Set<String> = passwords.union([
    "token", "access_token", "auth_token", "api_key", "apikey", "secret", "client_secret", "sig", "signature",
  ])
}
