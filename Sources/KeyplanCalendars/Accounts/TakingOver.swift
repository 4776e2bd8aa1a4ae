public import KeyplanApply
public import KeyplanCore
import KeyplanOAuth
public import KeyplanSecrets

extension CalendarServices {
  /// The refresh token for an account in what another program has left.
  public func token(in left: SharedSecret, for id: Identifier<Account>, _ account: Account) -> SourceAnswer {
    do throws(LeftTokenError) {
      return .value(try LeftTokens(left).token(for: id, account.facts))
    } catch {
      return .unreadable("\(error)")
    }
  }
}
