"""Language models behind endpoints: requests, replies, retries, budgets, prompts."""
