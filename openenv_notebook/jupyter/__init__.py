"""The notebook floor: the only place that imports IPython."""
