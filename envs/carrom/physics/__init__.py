"""A stroke on a layout: where everything came to rest and what happened on the way."""
