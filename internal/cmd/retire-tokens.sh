#!/usr/bin/env bash
# retire-tokens.sh STACK [--delete] removes the users' tokens that a change of TokenStore left in
# the other place, and revokes them at GitHub. 37signals has no revocation. Without --delete, it
# only counts them. It runs the sweep function of the stack until the whole table is done. It needs
# the AWS CLI, and permission to describe the stack and to invoke that function.
set -euo pipefail

stack=${1:-}
[[ $stack =~ ^[A-Za-z][A-Za-z0-9-]*$ ]] || { echo "usage: make retire-tokens STACK=name [DELETE=1]" >&2; exit 2; }
dry_run=true
[ "${2:-}" != --delete ] || dry_run=false

function=$(aws cloudformation describe-stack-resource --stack-name "$stack" --logical-resource-id SweepFunction \
  --query StackResourceDetail.PhysicalResourceId --output text)
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# number prints a number in the last answer.
number() { sed -nE "s/.*\"$1\":([0-9]+).*/\\1/p" "$answer"; }

retired=0
failed=0
from= # as JSON has it between the quotes
while true; do
  aws lambda invoke --function-name "$function" --cli-read-timeout 0 --cli-binary-format raw-in-base64-out \
    --payload "{\"dry_run\":$dry_run,\"retire_tokens\":true,\"from\":\"$from\"}" "$answer" >/dev/null
  grep -q '"retired":[0-9]' "$answer" || { echo "the sweep failed: $(cat "$answer")" >&2; exit 1; }
  retired=$((retired + $(number retired)))
  failed=$((failed + $(number failed)))
  echo "$retired so far"
  ! grep -q '"complete":true' "$answer" || break
  next=$(sed -nE 's/.*"next":"((\\.|[^"\\])*)".*/\1/p' "$answer")
  [ "$next" != "$from" ] || { echo "the sweep ended early, at the place where it began. Run the command again." >&2; exit 1; }
  from=$next
done
if [ "$dry_run" = true ]; then
  echo "$retired grants have tokens in the place that TokenStore does not name. Nothing was removed. DELETE=1 removes them."
else
  echo "The tokens of $retired grants were removed."
fi
if [ "$failed" != 0 ]; then
  echo "$failed users failed; the log of the sweep has the reasons. Run the command again." >&2
  exit 1
fi
