# .ci/engine.sh is sourced by scripts that need a container engine.

# install COMMAND PACKAGE installs a Debian package unless the command exists.
install() {
  command -v "$1" >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "$1 is missing; install it with: apt-get install $2"; return 1; }
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

engine=

# start_engine DIRECTORY starts a container engine unless one runs. With these options, the engine
# also runs in a container: it leaves the firewall alone and needs no special file system. If there
# is none, it prints the reason and fails.
start_engine() {
  docker info >/dev/null 2>&1 && return
  install dockerd docker.io || return
  mkdir -p "$1"
  set -- "$(cd -P "$1" && pwd)" # the engine accepts no symbolic link
  dockerd --iptables=false --ip6tables=false --storage-driver=vfs --data-root="$1/docker" \
    --exec-root="$1/exec" --pidfile="$1/docker.pid" >"$1/dockerd.log" 2>&1 &
  engine=$!
  for _ in $(seq 60); do
    docker info >/dev/null 2>&1 && return
    kill -0 "$engine" 2>/dev/null || { tail "$1/dockerd.log"; return 1; }
    sleep 0.5
  done
  echo 'the container engine does not answer'
  return 1
}

# stop_engine stops the engine if start_engine started it.
stop_engine() {
  [ -z "$engine" ] || { kill "$engine" && wait "$engine" || true; }
}
