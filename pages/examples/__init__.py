"""Examples: a campaign's test pairs, as a gallery and one by one."""
