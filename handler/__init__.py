"""The bot on AWS Lambda: its functions, and the rooms behind them."""
