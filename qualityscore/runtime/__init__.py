"""Every effect: processes, sandboxes, environments, files, locks, the host."""
