#!/usr/bin/env bash
# Builds the Toxiproxy server with Go into a cache folder and prints the program's path. Does nothing when it is there.
set -euo pipefail
version=2.12.0
home=${ACKPROOF_TOXIPROXY_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ackproof/toxiproxy-$version}
program=$home/toxiproxy-server
if [ ! -x "$program" ]; then
  command -v go >/dev/null || { echo "Go is needed to build Toxiproxy: apt-get install -y golang-go" >&2; exit 1; }
  mkdir -p "$home/build"
  module=github.com/Shopify/toxiproxy/v2
  CGO_ENABLED=0 GOBIN="$home/build" go install -ldflags "-s -w -X $module.Version=$version" "$module/cmd/server@v$version" >&2
  mv "$home/build/server" "$program"
  rmdir "$home/build"
fi
echo "$program"
