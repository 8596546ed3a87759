# MuJoCo's names come from compiled modules that carry no types: all are taken as they come.
from typing import Any

def __getattr__(name: str) -> Any: ...
