# The app image: the code, on top of the base image. The command selects receiver or worker.
ARG BASE=toxic-bot-base:latest

FROM ${BASE} AS compiled
COPY handler/ /var/task/handler/
COPY toxic_bot/__init__.py /var/task/toxic_bot/
COPY toxic_bot/deployment/ /var/task/toxic_bot/deployment/
COPY toxic_bot/judge/*.py toxic_bot/judge/*.txt /var/task/toxic_bot/judge/
COPY toxic_bot/slack/ /var/task/toxic_bot/slack/
# Compiled here, because Lambda's file system is read-only. Only the bytecode is shipped: the layer is
# a third smaller, and nothing is compared with its source at run time. A traceback still names
# files and lines.
RUN python3 -m compileall -q -b /var/task \
    && find /var/task -name '*.py' -delete

FROM ${BASE}
LABEL org.opencontainers.image.title="Toxic Bot" \
    org.opencontainers.image.version="0.2.0" \
    org.opencontainers.image.licenses="MIT"
COPY --from=compiled /var/task /var/task
CMD ["handler.receiver.handler"]
