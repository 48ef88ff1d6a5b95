#!/usr/bin/env bash
# purge.sh STACK [--delete] lists what a stack leaves behind: the secrets that it created for people
# who logged in, the key rings that seal tokens in its table, and its tables. With --delete, it
# deletes the secrets permanently, and schedules the deletion of the rings if the stack no longer
# exists. It never deletes a table. It needs the AWS CLI, and permission to list and delete secrets,
# to list tables and to describe the stack.
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
if [ -z "$found$rings" ]; then
  echo "The stack $stack has no secrets of people in the AWS CLI's region; set AWS_DEFAULT_REGION to choose another."
  exit 0
fi
[ -z "$found" ] || printf '%s\n' "$found"
[ -z "$rings" ] || printf '%s\n' "$rings"
count=$(grep -c . <<<"$found" || true)
counted="$count secrets"
[ "$count" != 1 ] || counted='1 secret'

if [ "${2:-}" != --delete ]; then
  echo "$counted. No secret was deleted. DELETE=1 deletes them; then all users must log in again."
  [ -z "$rings" ] || echo "DELETE=1 also deletes the key ring, in seven days, if the stack no longer exists. Without it, the sealed tokens in the table cannot be read."
  exit 0
fi
# Run several commands at once: each takes the AWS CLI a second. A secret that cannot be deleted
# does not stop the others.
if [ -n "$found" ]; then
  xargs -P 8 -I '{}' aws secretsmanager delete-secret --secret-id '{}' --force-delete-without-recovery <<<"$found" >/dev/null
fi
echo "$counted deleted."
[ -n "$rings" ] || exit 0

if said=$(aws cloudformation describe-stacks --stack-name "$stack" --query 'Stacks[].StackName' --output text 2>&1); then
  echo "The key ring was not deleted, because the stack $stack still exists and uses it. Delete the stack first: sam delete --stack-name $stack" >&2
  exit 1
fi
grep -q 'does not exist' <<<"$said" || { echo "$said" >&2; exit 1; }
for ring in $rings; do
  aws secretsmanager delete-secret --secret-id "$ring" --recovery-window-in-days 7 >/dev/null
  echo "$ring will be deleted in seven days. To keep it: aws secretsmanager restore-secret --secret-id $ring"
done
