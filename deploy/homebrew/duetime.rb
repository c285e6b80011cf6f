# A formula for a tap. The release workflow fills in the version and the checksum of the npm package; until the first
# release there is none to install from.
class Duetime < Formula
  desc "Durable timers: say what to call and when, and it calls on time"
  homepage "https://github.com/duetime/duetime"
  url "https://github.com/duetime/duetime/releases/download/v0.1.0/duetime-0.1.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    generate_completions_from_executable(bin/"duetime", "completion", shells: [:bash, :zsh, :fish])
  end

  service do
    run [opt_bin/"duetime", "serve"]
    keep_alive true
    working_dir var/"duetime"
    log_path var/"log/duetime.log"
    error_log_path var/"log/duetime.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/duetime --version")
    port = free_port
    pid = spawn({ "PORT" => port.to_s }, bin/"duetime", "serve")
    sleep 5
    assert_match "alive", shell_output("curl -s http://127.0.0.1:#{port}/livez")
  ensure
    Process.kill("TERM", pid) if pid
  end
end
