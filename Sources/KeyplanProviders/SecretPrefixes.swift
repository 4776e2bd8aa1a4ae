/// Literal prefixes that identify a secret wherever it occurs.
///
/// Only unambiguous ones: the 32 hexadecimal digits of some providers would also match client ids, checksums and
/// container names. Sources: the vendors' documentation and the rules of scanners (gitleaks, betterleaks: MIT).
package enum SecretPrefixes {
  /// Each prefix with the minimum number of characters (letters, digits, `_`, `-`) that must follow it, so that a
  /// mention of the format in a comment (`sk-ant-…`) is not taken for a secret.
  package static let builtIn: [String: Int] = [
    "-----BEGIN PRIVATE KEY": 0,
    "-----BEGIN EC PRIVATE KEY": 0,
    "-----BEGIN ENCRYPTED PRIVATE KEY": 0,
    "-----BEGIN OPENSSH PRIVATE KEY": 0,
    "-----BEGIN RSA PRIVATE KEY": 0,
    "AGE-SECRET-KEY-1": 16,
    "AGE-SECRET-KEY-PQ-1": 16,
    "AIza": 30,
    "AKIA": 16,
    "AQ.Ab8RN6": 20,
    "api_org_": 30,
    "ghp_": 20,
    "gho_": 20,
    "ghu_": 20,
    "ghs_": 20,
    "ghr_": 20,
    "github_pat_": 20,
    "glpat-": 16,
    "gsk_": 20,
    "hf_": 30,
    "hvs.": 20,
    "ops_eyJ": 20,
    "pplx-": 20,
    "r8_": 30,
    "rk_live_": 10,
    "rk_test_": 10,
    "sk-admin-": 16,
    "sk-ant-": 16,
    "sk-or-v1-": 16,
    "sk-proj-": 16,
    "sk-service-": 16,
    "sk-sp-": 20,
    "sk-svcacct-": 16,
    "sk_live_": 10,
    "sk_test_": 10,
    "tgp_v1_": 20,
    "xai-": 40,
    "xoxb-": 16,
    "xoxp-": 16,
    "GOCSPX-": 16,
  ]
}
