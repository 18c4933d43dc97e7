"""The bot on AWS Lambda: two entry points, and the Slack and answer rooms behind them."""
