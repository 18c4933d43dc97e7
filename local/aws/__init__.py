"""An AWS account on this machine: moto, Lambda's own runtime, and what moves events to it."""
