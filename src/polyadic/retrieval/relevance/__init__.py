"""How well a sentence answers a question: features of the two, and small models that were learned on them."""
