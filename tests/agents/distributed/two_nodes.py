"""A Ray cluster of two nodes of one processor each, on loopback, while standard input is open.

Says its address. It is a program of its own because Ray forks, which a process in which JAX
has threads must not do.
"""

import os
import sys

# Ray reads these when it is imported: loopback stays loopback, and nobody is told anything.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from ray.cluster_utils import Cluster

if __name__ == "__main__":
    nodes = Cluster()
    try:
        for _ in range(2):
            nodes.add_node(
                num_cpus=1,
                node_ip_address="127.0.0.1",
                object_store_memory=80 * 2**20,
                include_dashboard=False,
            )
        print(f"address {nodes.address}", flush=True)
        sys.stdin.read()
    finally:
        nodes.shutdown()
