"""What one would file at OpenVINO for a cause.

- `script`: a case reproduced on openvino and numpy alone;
- `text`: what is wrong, where, how bad, and how to see it.
"""
