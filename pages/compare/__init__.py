"""Compare: several campaigns beside each other."""
