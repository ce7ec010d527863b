"""Code that runs in the sandbox next to the subject. Standard library only: it lives in the task's environment."""
