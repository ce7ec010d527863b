"""Many evaluations: what is to be done, what has been done, and the engines that do it."""
