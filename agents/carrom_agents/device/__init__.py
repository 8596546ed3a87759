"""Training on the device: players and rollouts as pure JAX functions."""
