"""Where metrics and files go: one record, and views of it that never stop a training."""

from carrom_agents.logging.artifacts import log_artifacts
from carrom_agents.logging.fan_out import FanOut
from carrom_agents.logging.opening import check_loggers, open_loggers
from carrom_agents.logging.protocol import GLOBAL_STEP, METRICS_FILE, MetricsLogger
from carrom_agents.logging.record import JsonLinesLogger, forget_records_after, records_until
from carrom_agents.logging.weights_and_biases import check_wandb, open_wandb

__all__ = [
    "GLOBAL_STEP",
    "METRICS_FILE",
    "FanOut",
    "JsonLinesLogger",
    "MetricsLogger",
    "check_loggers",
    "check_wandb",
    "forget_records_after",
    "log_artifacts",
    "open_loggers",
    "open_wandb",
    "records_until",
]
