"""wasi:clocks: the monotonic clock, the wall clock, and UTC as the only time zone.

https://github.com/WebAssembly/WASI/tree/v0.2.12/proposals/clocks/wit
"""

from __future__ import annotations

from ...component.interface import S32, U32, U64, Interface
from ...records import Frozen
from ..clocks import SECOND
from ..codes import ClockId
from .guest import Guest
from .io import Pollable, Timer

MONOTONIC = Interface("wasi:clocks/monotonic-clock")
WALL = Interface("wasi:clocks/wall-clock")
TIMEZONE = Interface("wasi:clocks/timezone")


class Datetime(Frozen):
    """A point in time, since 1970."""

    seconds: U64
    nanoseconds: U32

    @classmethod
    def of(cls, nanoseconds: int) -> Datetime:
        return cls(*divmod(nanoseconds, SECOND))


class TimezoneDisplay(Frozen):
    """The display of a time zone."""

    utc_offset: S32
    name: str
    in_daylight_saving_time: bool


@MONOTONIC.function
def now(guest: Guest) -> U64:
    return guest.system.now(ClockId.MONOTONIC)


@MONOTONIC.function
def resolution(guest: Guest) -> U64:
    return guest.system.resolution(ClockId.MONOTONIC)


@MONOTONIC.function
def subscribe_instant(guest: Guest, when: U64) -> Pollable:
    return Timer(guest, when)


@MONOTONIC.function
def subscribe_duration(guest: Guest, when: U64) -> Pollable:
    return Timer(guest, guest.system.now(ClockId.MONOTONIC) + when)


def wall_now(guest: Guest) -> Datetime:
    return Datetime.of(guest.system.now(ClockId.REALTIME))


def wall_resolution(guest: Guest) -> Datetime:
    return Datetime.of(guest.system.resolution(ClockId.REALTIME))


WALL.function(wall_now, "now")
WALL.function(wall_resolution, "resolution")


@TIMEZONE.function
def display(when: Datetime) -> TimezoneDisplay:
    return TimezoneDisplay(0, "UTC", False)


@TIMEZONE.function
def utc_offset(when: Datetime) -> S32:
    return 0


INTERFACES = MONOTONIC, WALL, TIMEZONE
