"""What a device is: its profiles, and the stand-ins for hardware that a machine lacks."""
