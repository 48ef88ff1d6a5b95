#!/usr/bin/env bash
# stack.sh COMMAND STACK [ARGUMENT...] runs a command of functions/local for a stack, whose settings
# it reads with the AWS CLI: users, end-access USER, or credentials. That one asks for the client ID
# and secret of an application, and stores them in the stack's secret; GITHUB=ORIGIN in the
# environment means GitHub's application, and VERIFY=1 that its provider is asked.
set -euo pipefail

command=$1 stack=$2
shift 2
resource() {
  aws cloudformation describe-stack-resource --stack-name "$stack" --logical-resource-id "$1" --query StackResourceDetail.PhysicalResourceId --output text
}
region=${AWS_REGION:-${AWS_DEFAULT_REGION:-$(aws configure get region || true)}}
[[ $region ]] || { echo "set AWS_REGION to the region of the stack" >&2; exit 2; }
export AWS_REGION=$region

if [[ $command = credentials ]]; then
  secret=$(resource "$([[ ${GITHUB:-} ]] && echo GitHubSecret || echo ApplicationSecret)")
  # In a variable of this shell alone: in no argument, environment or file.
  issued=$(go run ./functions/local credentials ${GITHUB:+-github "$GITHUB"} $([[ ${VERIFY:-} = 1 ]] && echo -verify))
  printf '%s' "$issued" | aws secretsmanager put-secret-value --secret-id "$secret" --secret-string file:///dev/stdin >/dev/null
  echo 'Stored. The functions find the credentials within seconds.'
  exit
fi
function=$(resource OAuthFunction)
keys=$(aws configure export-credentials --format env)
eval "$keys"
settings=$(aws lambda get-function-configuration --function-name "$function" --query Environment.Variables --output json)
printf '%s' "$settings" | go run ./functions/local "$command" "$@" -stack
