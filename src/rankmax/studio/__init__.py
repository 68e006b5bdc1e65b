"""The web studio: a local page over the workflows."""
