"""The instruction set that ran: names of kernels, and whether 8-bit dot products were there."""

import pytest

from devices.targets.profiles import instruction_set

CPUINFO = "flags\t\t: fpu avx avx2 avx512f avx512_vnni avx_vnni\n"


@pytest.mark.parametrize(
    "kernel, cap, processor, expected",
    [
        ("brgconv_avx512_f32", "", CPUINFO, "avx512+vnni"),
        ("brgconv_avx512_f32", "AVX512_CORE_AMX_FP16", CPUINFO, "avx512+vnni"),
        ("brgconv_avx512_f32", "AVX512_CORE", CPUINFO, "avx512"),
        ("brgconv_avx512_f32", "", "flags : avx512f avx512_vnni_of_another_name", "avx512"),
        ("jit_avx2_f32", "AVX2_VNNI", CPUINFO, "avx2+vnni"),
        ("jit_avx2_f32", "avx2", CPUINFO, "avx2"),
        ("jit_avx2_f32", "", "flags : avx2 avx512_vnni", "avx2"),
        ("jit_sse42_f32", "", CPUINFO, "sse42"),
        ("acl_f32", "", CPUINFO, ""),
    ],
)
def test_dot_products_of_8_bit_integers_are_told(kernel, cap, processor, expected):
    environment = {"ONEDNN_MAX_CPU_ISA": cap} if cap else {}
    assert instruction_set({"layer": kernel}, environment, processor) == expected


@pytest.mark.parametrize(
    "features, expected",
    [
        ("fp asimd evtstrm crc32 cpuid", "neon"),
        ("fp asimd fphp asimdhp sve i8mm bf16", "neon+fp16+sve+bf16+i8mm"),
    ],
)
def test_on_arm_it_is_what_the_processor_has(features, expected):
    processor = f"processor\t: 0\nFeatures\t: {features}\nCPU implementer\t: 0x41\n"
    assert instruction_set({"y": "ref_any_f32"}, {}, processor) == expected
