"""Judges a user's model on a device, layer by layer: ``python -m devices model MODEL``.

Every layer is judged on the inputs that it really had, with the bound of its own operation, so that errors do not add
up. See ``devices.models.survey`` for how a model is asked.
"""
