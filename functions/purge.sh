#!/usr/bin/env bash
# purge.sh STACK [--delete]: lists the secrets that a stack has made for people who logged in, which outlive it; with --delete
# it deletes them for good. It needs the AWS CLI, and somebody who may list and delete secrets.
set -euo pipefail

stack=${1:-}
[[ $stack =~ ^[A-Za-z][A-Za-z0-9-]*$ ]] || { echo "usage: make purge STACK=name [DELETE=1]" >&2; exit 2; }

# Two filters of which both must hold, and the name once more: a tag's value is matched by its beginning.
listed=$(aws secretsmanager list-secrets --include-planned-deletion \
  --filters "Key=tag-key,Values=stack" "Key=tag-value,Values=$stack" \
  --query "SecretList[?starts_with(Name, '$stack/user/')].[Name]" --output text)
found=$(grep -v '^None$' <<<"$listed" || true)

if [ -z "$found" ]; then
  echo "There are no secrets of people of the stack $stack in the region that the AWS CLI asks; AWS_DEFAULT_REGION chooses another."
  exit 0
fi
printf '%s\n' "$found"
count=$(wc -l <<<"$found" | tr -d ' ')

if [ "${2:-}" != --delete ]; then
  echo "$count secrets. Nothing was deleted; DELETE=1 deletes them, and everybody has to log in again."
  exit 0
fi
# Several at once, for each takes the AWS CLI a second. What cannot be deleted does not keep the others.
xargs -P 8 -I '{}' aws secretsmanager delete-secret --secret-id '{}' --force-delete-without-recovery <<<"$found" >/dev/null
echo "$count secrets deleted."
