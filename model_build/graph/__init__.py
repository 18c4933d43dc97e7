"""Stage 3: from a checkpoint to an optimized int8 ONNX graph."""
