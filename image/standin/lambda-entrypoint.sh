#!/bin/sh
# Does the same as the script of this name in AWS's base images.
if [ $# -ne 1 ]; then
    echo "error: the command is not one handler: pass a single name, such as handler.worker.handler" >&2
    exit 142
fi
export _HANDLER="$1"
if [ -z "${AWS_LAMBDA_RUNTIME_API}" ]; then
    exec /usr/local/bin/aws-lambda-rie /var/runtime/bootstrap
fi
exec /var/runtime/bootstrap
