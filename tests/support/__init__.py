"""What the tests share: waiting for conditions, looking for leaks, and far ends that follow a script."""
