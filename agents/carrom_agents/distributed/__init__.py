"""More than one machine: games and boards on a Ray cluster, training on devices of many hosts."""
