#!/bin/sh
# Makes the random secrets of a compose installation, each once: run again, it changes nothing.
#   secrets.sh [FOLDER]     FOLDER/{postgres,redis,app,grafana}/…, default /secrets
# Each subfolder is a volume that only the containers that need it mount, read-only.
set -eu
root=${1:-/secrets}
umask 022

word() { head -c 32 /dev/urandom | od -An -vtx1 | tr -d ' \n'; }

put() { # put FILE: standard input becomes the file, whole or not at all, unless it exists
  if [ -s "$1" ]; then cat > /dev/null; return; fi
  cat > "$1.new"
  chmod 0444 "$1.new"
  mv "$1.new" "$1"
}

mkdir -p "$root/postgres" "$root/redis" "$root/app" "$root/grafana"
word | put "$root/postgres/password"
word | put "$root/grafana/password"
word | put "$root/redis/password"
printf 'requirepass %s\n' "$(cat "$root/redis/password")" | put "$root/redis/auth.conf"
printf 'postgresql://spidervet:%s@postgres:5432/spidervet' "$(cat "$root/postgres/password")" \
  | put "$root/app/spidervet_database_url"
printf 'redis://:%s@redis:6379/0' "$(cat "$root/redis/password")" | put "$root/app/spidervet_broker_url"
word | put "$root/app/spidervet_notify_key"
