#!/usr/bin/env bash
# Builds the S3 storage manager for Kafka's tiered storage through Maven, its tests included, fetches Kafka's own local one (in its test
# jars) beside it, and prints the folder. Does nothing when they are there and the sources are as they were.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -nE 's#.*<kafka.version>(.*)</kafka.version>.*#\1#p' "$here/pom.xml")
home=${ACKPROOF_TIERED_STORAGE:-${XDG_CACHE_HOME:-$HOME/.cache}/ackproof/tiered-storage-$version}
recipe=$(find "$here/pom.xml" "$here/src" "$here/build.sh" -type f -print0 | sort -z | xargs -0 sha256sum | awk '{print $1}' | sha256sum | cut -c1-16)
if [ "$(cat "$home/.complete" 2>/dev/null)" != "$recipe" ]; then
  command -v mvn >/dev/null || { echo "Maven is needed to build the storage manager: apt-get install -y maven" >&2; exit 1; }
  command -v javac >/dev/null || { echo "A Java compiler is needed: apt-get install -y openjdk-17-jdk-headless" >&2; exit 1; }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cp -r "$here/pom.xml" "$here/src" "$work"
  mvn -q -B -f "$work/pom.xml" package >&2
  mkdir -p "$home/libs"
  cp "$work/target/tiered-storage-1.jar" "$home/libs/ackproof-tiered-storage.jar"
  for artifact in kafka-storage kafka-clients; do
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
      -Dartifact="org.apache.kafka:$artifact:$version:jar:test" -DoutputDirectory="$home/libs" >&2
  done
  echo "$recipe" >"$home/.complete"
fi
echo "$home"
