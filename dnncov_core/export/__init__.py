"""What leaves the app: the test pairs as arrays."""
