#!/usr/bin/env bash
# purge.sh STACK [--delete]: lists the secrets that a stack has made for people who logged in, which outlive it; with --delete
# it deletes them for good. It needs the AWS CLI, and somebody who may list and delete secrets.
set -euo pipefail

stack=${1:-}
[ -n "$stack" ] || { echo "usage: make purge STACK=name [DELETE=1]" >&2; exit 2; }

# Two filters of which both must hold, and the name once more: a tag's value is matched by its beginning.
listed=$(aws secretsmanager list-secrets --include-planned-deletion \
  --filters "Key=tag-key,Values=stack" "Key=tag-value,Values=$stack" \
  --query "SecretList[?starts_with(Name, '$stack/user/')].[Name]" --output text)
found=$(grep -v '^None$' <<<"$listed" || true)

if [ -z "$found" ]; then
  echo "There are no secrets of people in the stack $stack."
  exit 0
fi
printf '%s\n' "$found"
count=$(printf '%s\n' "$found" | wc -l)

if [ "${2:-}" != --delete ]; then
  echo "$count secrets. Nothing was deleted; DELETE=1 deletes them, and everybody has to log in again."
  exit 0
fi
while read -r name; do
  aws secretsmanager delete-secret --secret-id "$name" --force-delete-without-recovery >/dev/null
done <<<"$found"
echo "$count secrets deleted."
