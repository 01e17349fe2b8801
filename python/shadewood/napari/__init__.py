"""A plug-in of napari: paint a few labels, and a forest labels the rest while you paint."""
