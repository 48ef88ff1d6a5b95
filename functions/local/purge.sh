#!/usr/bin/env bash
# purge.sh STACK [--delete] lists what a stack leaves behind: the secrets that it created for people
# who logged in, and with the command that deletes it, each key ring and table. With --delete, it
# deletes people's secrets permanently, and nothing else. It needs the AWS CLI, and permission to list
# and delete secrets and to list tables.
set -euo pipefail

stack=${1:-}
[[ $stack =~ ^[A-Za-z][A-Za-z0-9-]*$ ]] || { echo "usage: make purge STACK=name [DELETE=1]" >&2; exit 2; }

# Both filters must match. The query checks the name too, because a tag filter matches the beginning
# of a value.
listed=$(aws secretsmanager list-secrets --include-planned-deletion \
  --filters "Key=tag-key,Values=stack" "Key=tag-value,Values=$stack" \
  --query "SecretList[?starts_with(Name, '$stack/user/')].[Name]" --output text)
found=$(grep -v '^None$' <<<"$listed" || true)

# CloudFormation adds this tag. A ring that is scheduled for deletion is not listed.
owner=aws:cloudformation:stack-name
listed=$(aws secretsmanager list-secrets --filters "Key=tag-key,Values=$owner" "Key=tag-value,Values=$stack" \
  --query "SecretList[?starts_with(Name, 'KeyRingSecret-') && Tags[?Key=='$owner' && Value=='$stack']].[Name]" --output text)
rings=$(grep -v '^None$' <<<"$listed" || true)

listed=$(aws dynamodb list-tables --query "TableNames[?starts_with(@, '$stack-Table-')].[@]" --output text)
tables=$(grep -v '^None$' <<<"$listed" || true)

for table in $tables; do
  echo "The table $table holds logins, tasks and sealed tokens. Once the stack is deleted: aws dynamodb delete-table --table-name $table"
done
for ring in $rings; do
  echo "The key ring $ring opens the sealed tokens of the table. Once the table is deleted: aws secretsmanager delete-secret --secret-id $ring"
done
if [ -z "$found" ]; then
  echo "The stack $stack has no secrets of people in the AWS CLI's region; set AWS_DEFAULT_REGION to choose another."
  exit 0
fi
printf '%s\n' "$found"
count=$(grep -c . <<<"$found")
counted="$count secrets"
[ "$count" != 1 ] || counted='1 secret'

if [ "${2:-}" != --delete ]; then
  echo "$counted. No secret was deleted. DELETE=1 deletes them; then all users must log in again."
  exit 0
fi
# Run several commands at once: each takes the AWS CLI a second. A secret that cannot be deleted
# does not stop the others.
xargs -P 8 -I '{}' aws secretsmanager delete-secret --secret-id '{}' --force-delete-without-recovery <<<"$found" >/dev/null
echo "$counted deleted."
