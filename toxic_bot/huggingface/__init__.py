"""The model as a Hugging Face folder, for transformers and optimum."""
