#!/bin/sh
# Does what the script of this name in AWS's base images does.
if [ $# -ne 1 ]; then
    echo "error: the command must be one handler, such as handler.worker.handler" >&2
    exit 142
fi
export _HANDLER="$1"
if [ -z "${AWS_LAMBDA_RUNTIME_API}" ]; then
    exec /usr/local/bin/aws-lambda-rie /var/runtime/bootstrap
fi
exec /var/runtime/bootstrap
