"""DFT: the discrete Fourier transform of complex tensors along some axes (page DFT-7)."""

from ir_models.families.fourier import complex_fourier

DFT = complex_fourier("DFT-7")
