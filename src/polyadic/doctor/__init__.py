"""Health checks of a workspace and of the models that its settings name."""
