#!/bin/sh
# Brings the ledger's schema up to date and makes the first tokens, each once, as files:
#   FOLDER/admin/token       the first admin's, for people
#   FOLDER/prometheus/token  a viewer's, for scraping /metrics
#   migrate.sh [FOLDER]      default /secrets
set -eu
root=${1:-/secrets}
mkdir -p "$root/admin" "$root/prometheus"
spidervet db upgrade
spidervet token create first-admin --role admin --if-missing --out "$root/admin/token"
spidervet token create prometheus --role viewer --if-missing --out "$root/prometheus/token"
if [ -f "$root/prometheus/token" ]; then chmod 0444 "$root/prometheus/token"; fi
