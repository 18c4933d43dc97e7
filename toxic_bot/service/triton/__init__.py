"""The judge as a model repository for Triton Inference Server."""
