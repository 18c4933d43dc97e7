"""Stage 2: fine-tuning, distillation and averaging of checkpoints."""
