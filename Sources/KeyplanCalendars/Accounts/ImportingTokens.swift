package import KeyplanModel
import KeyplanOAuth
package import KeyplanPorts
package import KeyplanSecrets

extension CalendarServices {
  /// The refresh token for an account in another program's token file.
  package func token(in file: SecretBox, for id: Identifier<Account>, _ account: Account) -> TokenLeft {
    do throws(ImportedTokenError) {
      let tokens = try ImportedTokens(file)
      return .token(try tokens.token(for: id, account.facts), isAlone: tokens.count == 1)
    } catch {
      return .unusable(reason: "\(error)")
    }
  }
}
