#!/usr/bin/env bash
# Two Tansu brokers on one bucket, for scenarios/targets/tansu.yaml: versitygw as the S3 server, and a Toxiproxy that clients come by (one
# address, led to one broker at a time) and that each broker goes to the bucket by. All of it on loopback.
#   cluster.sh up | down | status
# and the programs of that target file's commands, each of which may be run twice:
#   cluster.sh kill | killed | start | started        the broker that serves; clients are led to the other one
#   cluster.sh cut | is-cut | mend | mended           the way of both brokers to the bucket
# Programs: tansu, versitygw, toxiproxy-server on the PATH, or as TANSU, VERSITYGW, ACKPROOF_TOXIPROXY name them. State is in
# ACKPROOF_TANSU_HOME, ~/.local/state/ackproof-tansu without it; the login of the bucket is TANSU_ACCESS_KEY and TANSU_SECRET_KEY.
set -euo pipefail
home=${ACKPROOF_TANSU_HOME:-$HOME/.local/state/ackproof-tansu}
api=127.0.0.1:19474
clients=127.0.0.1:19190
store=127.0.0.1:19700
bucket=tansu
# As it was at `up`: a program of a fault is given no more of the environment than PATH and HOME.
# shellcheck source=/dev/null
[ -f "$home/environment" ] && . "$home/environment"
key=${TANSU_ACCESS_KEY:-ackproof}
secret=${TANSU_SECRET_KEY:-ackproof-drill}

broker() { echo "127.0.0.1:1910$1"; }
store_of() { echo "127.0.0.1:1970$1"; }
say() { echo "$*"; }
die() { echo "$*" >&2; exit 1; }

# A pid is ours only as long as it runs what we started.
pid_of() {
  local pid
  pid=$(cat "$home/$1.pid" 2>/dev/null) || return 1
  { tr '\0' ' ' <"/proc/$pid/cmdline"; } 2>/dev/null | grep -q -- "$2" || return 1
  echo "$pid"
}
answers() { (exec 3<>"/dev/tcp/${1%:*}/${1#*:}") 2>/dev/null; }
await() { for _ in $(seq 300); do answers "$1" && return 0; sleep 0.1; done; die "nothing answers at $1 within 30 s; see $home"; }
run() { # NAME COMMAND…
  local name=$1
  shift
  setsid nohup "$@" >>"$home/$name.log" 2>&1 &
  echo $! >"$home/$name.pid"
}
end() { # NAME MARK
  local pid
  pid=$(pid_of "$1" "$2") || return 0
  kill -KILL "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

ask() { curl -sf -m 5 "http://$api$1" "${@:2}"; }
proxy() { ask /proxies -d "{\"name\":\"$1\",\"listen\":\"$2\",\"upstream\":\"$3\",\"enabled\":true}" >/dev/null; }
change() { ask "/proxies/$1" -X POST -d "$2" >/dev/null; }
field() { ask "/proxies/$1" | sed -nE "s/.*\"$2\":\"?([^\",}]*)\"?[,}].*/\1/p"; }
serving() { field client upstream | sed -E 's/.*(.)$/\1/'; }

start_broker() {
  local n=$1
  pid_of "broker-$n" "$(broker "$n")" >/dev/null && return 0
  AWS_ACCESS_KEY_ID=$key AWS_SECRET_ACCESS_KEY=$secret AWS_DEFAULT_REGION=us-east-1 AWS_ALLOW_HTTP=true \
    AWS_ENDPOINT="http://$(store_of "$n")" run "broker-$n" "${TANSU:-tansu}" broker --storage-engine "s3://$bucket/" \
    --listener-url "tcp://$(broker "$n")" --advertised-listener-url "tcp://$clients"
  await "$(broker "$n")"
}

up() {
  answers "$clients" && die "something listens at $clients already"
  mkdir -p "$home/objects/$bucket"
  (umask 077 && printf 'TANSU=%q\nTANSU_ACCESS_KEY=%q\nTANSU_SECRET_KEY=%q\n' "$(command -v "${TANSU:-tansu}")" "$key" "$secret" >"$home/environment")
  ROOT_ACCESS_KEY=$key ROOT_SECRET_KEY=$secret run store "${VERSITYGW:-versitygw}" -q --port "$store" posix "$home/objects"
  run toxiproxy "${ACKPROOF_TOXIPROXY:-toxiproxy-server}" -host "${api%:*}" -port "${api#*:}"
  await "$store"
  await "$api"
  proxy s3-1 "$(store_of 1)" "$store"
  proxy s3-2 "$(store_of 2)" "$store"
  proxy client "$clients" "$(broker 1)"
  start_broker 1
  start_broker 2
  await "$clients"
  say "Tansu serves at $clients; its objects are in $home/objects/$bucket"
}

down() {
  end broker-1 "$(broker 1)"
  end broker-2 "$(broker 2)"
  end toxiproxy "${api#*:}"
  end store "$store"
  rm -rf "$home"
  say "Tansu is down"
}

case ${1:-} in
  up) up ;;
  down) down ;;
  status) for n in 1 2; do say "broker $n: $(pid_of "broker-$n" "$(broker "$n")" || echo down)"; done; say "clients: broker $(serving)" ;;
  kill)
    victim=$(serving)
    echo "$victim" >"$home/victim"
    end "broker-$victim" "$(broker "$victim")"
    change client "{\"upstream\":\"$(broker $((3 - victim)))\"}"
    say "killed broker $victim" ;;
  killed)
    victim=$(cat "$home/victim" 2>/dev/null) || die "no broker was killed"
    ! pid_of "broker-$victim" "$(broker "$victim")" >/dev/null || die "broker $victim runs"
    ! answers "$(broker "$victim")" || die "broker $victim answers"
    say "broker $victim has no process, clients are led to broker $(serving)" ;;
  start) for n in 1 2; do start_broker "$n"; done; say "both brokers run" ;;
  started)
    for n in 1 2; do { pid_of "broker-$n" "$(broker "$n")" >/dev/null && answers "$(broker "$n")"; } || die "broker $n does not serve"; done
    say "both brokers answer" ;;
  cut) for n in 1 2; do change "s3-$n" '{"enabled":false}'; done; say "cut" ;;
  is-cut)
    for n in 1 2; do [ "$(field "s3-$n" enabled)" = false ] && ! answers "$(store_of "$n")" || die "broker $n reaches the bucket"; done
    say "neither broker reaches the bucket" ;;
  mend) for n in 1 2; do change "s3-$n" '{"enabled":true}'; done; say "mended" ;;
  mended) for n in 1 2; do answers "$(store_of "$n")" || die "broker $n does not reach the bucket"; done; say "both brokers reach the bucket" ;;
  *) die "Write: cluster.sh up, down, status, kill, killed, start, started, cut, is-cut, mend or mended." ;;
esac
