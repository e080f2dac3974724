#!/usr/bin/env bash
# Builds the images of docker-compose.yml where no image registry can be reached: a Debian base by debootstrap, Kafka's jars
# through Maven, Toxiproxy by Go. What is there already is not built again. Prints the variables that make the compose file use
# them: eval "$(npm run --silent images)".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
release=bookworm
base=ackproof/debian:$release
kafka=ackproof/kafka:$(sed -nE 's#.*<kafka.version>(.*)</kafka.version>.*#\1#p' "$here/kafka/pom.xml")
toxiproxy=ackproof/toxiproxy:$(sed -nE 's#^version=(.*)$#\1#p' "$here/toxiproxy/fetch.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

need() { command -v "$1" >/dev/null || { echo "$1 is needed to build the images: $2" >&2; exit 1; }; }
missing() { [ -z "$(docker image ls --quiet "$1")" ]; }

# What an image is made of, so that a changed recipe is noticed.
recipe() { find "$@" -type f -print0 | sort -z | xargs -0 sha256sum | awk '{print $1}' | sha256sum | cut -c1-16; }
outdated() { [ "$(docker image inspect --format '{{index .Config.Labels "ackproof.recipe"}}' "$1" 2>/dev/null)" != "$2" ]; }

need docker 'apt-get install -y docker.io iptables'
docker version >/dev/null 2>&1 || { echo 'No Docker engine answers: start dockerd, or set DOCKER_HOST.' >&2; exit 1; }

made=$(recipe "$here/kafka")
if outdated "$kafka" "$made"; then
  libs=$(bash "$here/kafka/fetch.sh")/libs
  if missing "$base"; then
    need debootstrap 'apt-get install -y debootstrap'
    echo "building $base" >&2
    debootstrap --variant=minbase "$release" "$work/root" >&2
    rm -rf "$work/root/var/cache/apt/archives" "$work/root/var/lib/apt/lists"
    mkdir -p "$work/root/var/cache/apt/archives/partial" "$work/root/var/lib/apt/lists/partial"
    tar -C "$work/root" -c . | docker import - "$base" >&2
  fi
  echo "building $kafka" >&2
  cp -r "$here/kafka" "$work/kafka"
  cp -r "$libs" "$work/kafka/libs"
  DOCKER_BUILDKIT=0 docker build --build-arg "BASE=$base" --label "ackproof.recipe=$made" --tag "$kafka" "$work/kafka" >&2
fi

made=$(recipe "$here/toxiproxy")
if outdated "$toxiproxy" "$made"; then
  echo "building $toxiproxy" >&2
  mkdir "$work/toxiproxy"
  cp "$here/toxiproxy/Dockerfile" "$(bash "$here/toxiproxy/fetch.sh")" "$work/toxiproxy"
  DOCKER_BUILDKIT=0 docker build --label "ackproof.recipe=$made" --tag "$toxiproxy" "$work/toxiproxy" >&2
fi

echo "export ACKPROOF_KAFKA_IMAGE=$kafka"
echo "export ACKPROOF_TOXIPROXY_IMAGE=$toxiproxy"
