"""Stage 3: export a checkpoint to an optimized int8 ONNX graph."""
