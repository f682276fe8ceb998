"""What is answered: OpenVINO devices in child processes, packs of cases, outcomes.

parse_profile("accuracy")            the device's settings
Runner(device, profile, options)     asks a device about packs of cases
Child(device, settings, {})          one child process with its device open
"""

from devices.process import Child, ChildDiedError, ChildHungError, NoDeviceError
from devices.profiles import Profile, ProfileError
from devices.profiles import parse as parse_profile
from devices.runner import Options, Runner
from devices.verdict import Evidence, Verdict

__all__ = [
    "Child",
    "ChildDiedError",
    "ChildHungError",
    "Evidence",
    "NoDeviceError",
    "Options",
    "Profile",
    "ProfileError",
    "Runner",
    "Verdict",
    "parse_profile",
]
