"""What messages say of the release of OpenVINO that gave them."""

from __future__ import annotations

import re

from reports.results.shared.matching import version_in

# The message about an operation set or an element type that is newer than the release, of the reader and of the API.
_NOT_IN_RELEASE = re.compile(
    r"from unsupported opset|Incorrect type: |Couldn't create operation: |Unsupported opset version requested"
)

# What says the same in some releases only, of those that were tried: they read an operation set before they have all of
# its operations, and have an element type before their Python interface has a name for it.
_NOT_YET = {
    r"Opset opset15 doesn't contain the operation with type: ": "<2024.5",
    r"Opset opset16 doesn't contain the operation with type: ": "<2025.4",
    r"Opset opset17 doesn't contain the operation with type: ": "<2026.4",
    r"type object '[\w.]+\.Type' has no attribute 'u2'": "<2026.2",
    r"type object '[\w.]+\.Type' has no attribute '(u3|u6)'": "<2026.4",
}


def is_not_in_release(stage: str, error: str, release: str) -> bool:
    """Whether a refusal says that this release of OpenVINO is older than the operation or an element type."""
    if stage == "read" and _NOT_IN_RELEASE.search(error):
        return True
    return any(
        version_in(release, releases) and re.search(pattern, error)
        for pattern, releases in _NOT_YET.items()
    )
