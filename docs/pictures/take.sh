#!/usr/bin/env bash
# docs/pictures/take.sh takes the pictures of README.md with headless Chromium: the consent page of
# the local server, and chat.html. Run it after a change of either.
set -euo pipefail
cd "$(dirname "$0")/../.."

here=$PWD/docs/pictures
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

origin=http://127.0.0.1:8797
go build -o "$work/local" ./functions/local
"$work/local" -store memory -addr "${origin#http://}" >"$work/log" 2>&1 &
server=$!
for _ in $(seq 50); do
  curl -fsS "$origin/healthz" >/dev/null 2>&1 && break
  sleep 0.2
done

callback=https://claude.ai/api/mcp/auth_callback
client=$(curl -fsS "$origin/register" -H 'Content-Type: application/json' \
  -d "{\"client_name\":\"Claude\",\"redirect_uris\":[\"$callback\"],\"token_endpoint_auth_method\":\"none\"}" |
  sed -E 's/.*"client_id":"([^"]*)".*/\1/')

shoot() { # shoot URL FILE WIDTH HEIGHT
  chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --hide-scrollbars --user-data-dir="$work/profile" --window-size="$3,$4" --screenshot="$here/$2" "$1" >"$work/chromium" 2>&1 ||
    { cat "$work/chromium"; exit 1; }
}

challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM # RFC 7636, appendix B
shoot "$origin/authorize?response_type=code&client_id=$client&redirect_uri=$callback&state=picture&scope=read+write&code_challenge=$challenge&code_challenge_method=S256&resource=$origin/mcp" \
  consent.png 680 630
shoot "file://$here/chat.html" chat.png 680 630
go run docs/pictures/palette.go "$here/consent.png" "$here/chat.png"
