"""Child processes that own a device: how they are started, what is said to them, and how they end."""
