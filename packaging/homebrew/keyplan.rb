# `make dist` fills in the version and the archives, and writes dist/keyplan.rb, for a tap.
class Keyplan < Formula
  desc "Declarative provisioning of API keys and OAuth accounts"
  homepage "https://github.com/keyplan/keyplan"
  version "@version@"
  license "Apache-2.0"

  # Loaded on first use.
  depends_on "curl"
  depends_on "expat"
  depends_on "libpq"
  depends_on :linux

  on_linux do
    # The archives.
  end

  def install
    bin.install "bin/keyplan"
    bash_completion.install "share/bash-completion/completions/keyplan"
    zsh_completion.install "share/zsh/site-functions/_keyplan"
    fish_completion.install "share/fish/vendor_completions.d/keyplan.fish"
    man1.install Dir["share/man/man1/*.1"]
    doc.install Dir["share/doc/keyplan/*"]
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/keyplan --version").strip
    (testpath/"keyplan.yaml").write "version: 1\nkeys: {}\n"
    assert_match "valid", shell_output("#{bin}/keyplan validate")
  end
end
