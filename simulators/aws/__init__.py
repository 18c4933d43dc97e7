"""A simulated AWS account: moto, AWS's Lambda runtime, API Gateway and event source mappings."""

EXPIRE_DELAYS = "/local-api/expire-delays"
"""Path on moto's server that makes all delayed messages visible; responds with their number."""

EXPIRE_VISIBILITY = "/local-api/expire-visibility"
"""Path on moto's server that lets all visibility timeouts run out; responds with their number."""

QUEUE_AGES = "/local-api/queue-ages"
"""Path on moto's server that returns how old each queue's oldest message is, in seconds; a ``POST``
first makes all messages older by the seconds in its body."""

FAULTS = "/local-api/faults"
"""Path on moto's server that takes faults as a JSON list, or returns those that were played; see
`simulators.aws.failures`."""
