# The thin image: the code, on top of the heavy image. The command picks receiver or worker.
ARG BASE=toxic-bot-base:latest

FROM ${BASE} AS compiled
COPY handler/ /var/task/handler/
COPY judge/ /var/task/judge/
# Lambda's file system is read-only, so bytecode is compiled now or never. Checking the dates of
# the sources at run time would be wasted effort.
RUN python3 -m compileall -q --invalidation-mode unchecked-hash /var/task/handler /var/task/judge

FROM ${BASE}
LABEL org.opencontainers.image.title="Toxic Bot" \
    org.opencontainers.image.version="0.2.0" \
    org.opencontainers.image.licenses="MIT"
COPY --from=compiled /var/task /var/task
CMD ["handler.receiver.handler"]
