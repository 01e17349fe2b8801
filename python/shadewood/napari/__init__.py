"""A plug-in of napari: paint a few labels, and a forest labels the rest while you paint.

`teaching` trains and labels in a thread of its own and knows nothing of napari, `session` connects layers with it, and
`widget` is what napari shows.
"""
