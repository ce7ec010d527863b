"""Observers: threads that tell handlers about changes."""

from watchdog.observers._inotify import InotifyObserver as Observer

__all__ = ["Observer"]
