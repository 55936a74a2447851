"""Entity resolution: proposals, decisions, and applying them."""
