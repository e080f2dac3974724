#!/usr/bin/env bash
# Fetches Apache Kafka's jars through Maven into a cache folder and prints the folder. Does nothing when they are there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -nE 's#.*<kafka.version>(.*)</kafka.version>.*#\1#p' "$here/pom.xml")
home=${ACKPROOF_KAFKA_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/ackproof/kafka-$version}
if [ ! -f "$home/.complete" ]; then
  command -v mvn >/dev/null || { echo "Maven is needed to fetch Apache Kafka: apt-get install -y maven" >&2; exit 1; }
  mkdir -p "$home/libs"
  mvn -q -B -f "$here/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$home/libs" >&2
  touch "$home/.complete"
fi
echo "$home"
