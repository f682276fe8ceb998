"""Cases as files: IR with its weights, and folders."""
