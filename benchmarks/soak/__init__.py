"""The soak: thousands of reactions, a fifth of them with a fault, and an account of every one."""
