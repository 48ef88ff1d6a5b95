#!/usr/bin/env bash
# purge.sh STACK [--delete] lists the secrets that a stack created for people who logged in. These
# secrets outlive the stack. With --delete, it deletes them permanently. It needs the AWS CLI, and
# permission to list and delete secrets.
set -euo pipefail

stack=${1:-}
[[ $stack =~ ^[A-Za-z][A-Za-z0-9-]*$ ]] || { echo "usage: make purge STACK=name [DELETE=1]" >&2; exit 2; }

# Both filters must match. The query checks the name too, because a tag filter matches the beginning
# of a value.
listed=$(aws secretsmanager list-secrets --include-planned-deletion \
  --filters "Key=tag-key,Values=stack" "Key=tag-value,Values=$stack" \
  --query "SecretList[?starts_with(Name, '$stack/user/')].[Name]" --output text)
found=$(grep -v '^None$' <<<"$listed" || true)

if [ -z "$found" ]; then
  echo "The stack $stack has no secrets of people in the AWS CLI's region; set AWS_DEFAULT_REGION to choose another."
  exit 0
fi
printf '%s\n' "$found"
count=$(wc -l <<<"$found" | tr -d ' ')

if [ "${2:-}" != --delete ]; then
  echo "$count secrets. No secret was deleted. DELETE=1 deletes them; then all users must log in again."
  exit 0
fi
# Run several commands at once: each takes the AWS CLI a second. A secret that cannot be deleted
# does not stop the others.
xargs -P 8 -I '{}' aws secretsmanager delete-secret --secret-id '{}' --force-delete-without-recovery <<<"$found" >/dev/null
echo "$count secrets deleted."
