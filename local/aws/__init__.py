"""A simulated AWS account: moto, AWS's Lambda runtime, API Gateway and event source mappings."""
