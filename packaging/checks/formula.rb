# Runs a formula's `install` and `test do` with its own archive: formula.rb FORMULA ARCHIVE
# A stand-in for the part of Homebrew's DSL that the formula uses; anything else is an error. It says nothing about `brew audit`.
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

class Pathname
  def install(*sources)
    mkpath
    sources.flatten.each { |source| FileUtils.cp(source, self, preserve: true) }
    raise "nothing is installed in #{self}" if sources.flatten.empty?
  end
  alias write_over write
  def write(text) = write_over(text)
end

class Formula
  def self.fields = (@fields ||= { urls: [], sums: [], dependencies: [] })
  %w[desc homepage version license].each do |name|
    define_singleton_method(name) { |*value| value.empty? ? fields[name] : fields[name] = value[0] }
  end
  def self.url(value) = fields[:urls] << value
  def self.sha256(value) = fields[:sums] << value
  def self.depends_on(value) = fields[:dependencies] << value
  def self.on_linux = yield
  def self.on_intel = yield
  def self.on_arm = yield
  def self.test(&block) = define_method(:run_test, &block)

  attr_reader :testpath

  def initialize(prefix, testpath)
    @prefix, @testpath = prefix, testpath
  end
  { bin: "bin", man1: "share/man/man1", doc: "share/doc/keyplan", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |name, path|
    define_method(name) { @prefix/path }
  end
  def version = self.class.version

  def shell_output(command)
    output, status = Open3.capture2(command, chdir: testpath.to_s)
    raise "#{command}: #{status}" unless status.success?
    output
  end
  def assert_equal(expected, found) = (raise "#{found.inspect} is not #{expected.inspect}" if expected != found)
  def assert_match(part, found) = (raise "#{found.inspect} has no #{part.inspect}" unless found.match?(part))
end

formula, archive = ARGV
load formula
fields = Keyplan.fields
sum = Digest::SHA256.file(archive).hexdigest
at = fields[:urls].index { |url| url.end_with?("/#{File.basename(archive)}") } or raise "no url of #{archive}"
raise "the formula has another checksum than #{archive}" if fields[:sums][at] != sum
raise "the description is too long for Homebrew" if fields["desc"].length > 80 || fields["desc"].end_with?(".")

Dir.mktmpdir do |folder|
  folder = Pathname(folder)
  %w[source prefix test].each { |name| (folder/name).mkpath }
  # Homebrew enters an archive's only folder.
  system("tar", "-xzf", File.expand_path(archive), "--strip-components", "1", "-C", (folder/"source").to_s, exception: true)
  keyplan = Keyplan.new(folder/"prefix", folder/"test")
  Dir.chdir(folder/"source") { keyplan.install }
  ENV["HOME"] = (folder/"test").to_s
  keyplan.run_test
  puts "formula: #{(folder/"prefix").glob("**/*").count(&:file?)} files installed, its test passed"
end
