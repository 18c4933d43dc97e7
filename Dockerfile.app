# The thin image: handler/ alone, on the heavy one. The command picks receiver or worker.
ARG BASE=toxic-bot-base:latest

FROM ${BASE} AS compiled
COPY handler/ /var/task/handler/
# Lambda's file system is read-only: compiled now or never. The sources' dates do not matter.
RUN python3 -m compileall -q --invalidation-mode unchecked-hash /var/task/handler

FROM ${BASE}
COPY --from=compiled /var/task/handler /var/task/handler
CMD ["handler.receiver.handler"]
