"""What is written of a model that was judged: its run, and folders of its layers."""
