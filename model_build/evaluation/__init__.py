"""Stage 4: scores, calibration, comparison with baselines, and latency."""
