"""IDFT: the inverse discrete Fourier transform of complex tensors along some axes (page IDFT-7)."""

from ir_models.families.fourier import complex_fourier

# Its page has the inputs, rules and examples of DFT-7.
IDFT = complex_fourier("IDFT-7")
