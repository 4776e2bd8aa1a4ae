package import KeyplanApply
package import KeyplanCore
import KeyplanOAuth
package import KeyplanSecrets

extension CalendarServices {
  /// The refresh token for an account in what another program has left.
  package func token(in left: SecretBox, for id: Identifier<Account>, _ account: Account) -> TokenLeft {
    do throws(ImportedTokenError) {
      let tokens = try ImportedTokens(left)
      return .token(try tokens.token(for: id, account.facts), isAlone: tokens.count == 1)
    } catch {
      return .unusable(reason: "\(error)")
    }
  }
}
