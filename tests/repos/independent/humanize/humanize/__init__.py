"""Numbers, sizes and times as people say them, in English."""

from .filesize import naturalsize
from .lists import natural_list
from .number import (
    apnumber,
    clamp,
    fractional,
    intcomma,
    intword,
    metric,
    ordinal,
    scientific,
)
from .time import naturaldate, naturalday, naturaldelta, naturaltime, precisedelta

__all__ = [
    "apnumber",
    "clamp",
    "fractional",
    "intcomma",
    "intword",
    "metric",
    "natural_list",
    "naturaldate",
    "naturalday",
    "naturaldelta",
    "naturalsize",
    "naturaltime",
    "ordinal",
    "precisedelta",
    "scientific",
]
