"""The profiles opencl=pocl and opencl=rusticl: what they set, and what they say where something is missing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devices import ProfileError, parse_profile
from devices.targets import opencl
from devices.targets.opencl import layer
from tests.conformance.selection import pack_size_of

ROOT = Path(__file__).resolve().parents[4]
POCL, RUSTICL = opencl.STACKS["pocl"], opencl.STACKS["rusticl"]
COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo compiled >> {log}
echo library > "$2"
"""


def program(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path):
    """The variables of a machine with both drivers and a compiler that writes a file."""
    vendors = tmp_path / "vendors"
    vendors.mkdir()
    for stack in opencl.STACKS.values():
        (vendors / stack.icd).write_text("libdriver.so\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    program(tools / "cc", COMPILER.format(log=tmp_path / "log"))
    return {
        "OCL_ICD_VENDORS": str(vendors),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PATH": f"{tools}{os.pathsep}/bin:/usr/bin",
    }


def test_a_child_gets_the_driver_the_layer_and_a_cache(machine, tmp_path):
    found = opencl.environment(RUSTICL, machine)
    cache = tmp_path / "cache" / "openvino-layer-conformance"
    assert found["OCL_ICD_VENDORS"] == str(tmp_path / "vendors" / "rusticl.icd")
    assert Path(found["OPENCL_LAYERS"]).read_text() == "library\n"
    assert Path(found["OPENCL_LAYERS"]).parent == cache
    assert found["MESA_SHADER_CACHE_DIR"] == str(cache / "rusticl")
    assert (cache / "rusticl").is_dir()
    assert found["RUSTICL_DEVICE_TYPE"] == "gpu"
    assert found["CONFORMANCE_OPENCL_OPTIONS"] == "-cl-std=CL3.0 -Dinline=static"
    assert opencl.environment(POCL, machine)["CONFORMANCE_OPENCL_OPTIONS"] == "-Dinline=static -w"


def test_another_order_of_commands_uses_the_kernels_that_are_compiled(machine):
    usual = opencl.environment(POCL, machine)
    reversed_order = opencl.environment(opencl.STACKS["pocl-reversed"], machine)
    assert reversed_order == {**usual, "CONFORMANCE_OPENCL_ORDER": "reversed"}
    flushed = opencl.environment(opencl.STACKS["rusticl-flushed"], machine)
    assert flushed == {**opencl.environment(RUSTICL, machine), "CONFORMANCE_OPENCL_FLUSH": "unmap"}


def test_the_layer_is_compiled_once_for_both(machine, tmp_path):
    paths = [opencl.environment(stack, machine)["OPENCL_LAYERS"] for stack in (POCL, RUSTICL, POCL)]
    assert len(set(paths)) == 1
    assert (tmp_path / "log").read_text() == "compiled\n"


def test_another_source_is_compiled_anew(machine, tmp_path, monkeypatch):
    before = opencl.environment(POCL, machine)["OPENCL_LAYERS"]
    changed = tmp_path / "layer.c"
    changed.write_text("/* another */")
    monkeypatch.setattr(layer, "SOURCE", changed)
    assert opencl.environment(POCL, machine)["OPENCL_LAYERS"] != before


def test_pocl_links_with_mold_where_it_is_installed(machine, tmp_path):
    tools = tmp_path / "tools"
    machine["PATH"] = str(tools)
    assert "COMPILER_PATH" not in opencl.environment(POCL, machine)
    mold = program(tools / "mold", "#!/bin/sh\n")
    assert "COMPILER_PATH" not in opencl.environment(RUSTICL, machine)
    folder = Path(opencl.environment(POCL, machine)["COMPILER_PATH"])
    assert os.listdir(folder) == ["ld"]
    assert os.readlink(folder / "ld") == str(mold)
    # Another one is taken where the first has gone.
    moved = tmp_path / "moved"
    moved.mkdir()
    machine["PATH"] = f"{moved}{os.pathsep}{tools}"
    mold.rename(moved / "mold")
    assert opencl.environment(POCL, machine)["COMPILER_PATH"] == str(folder)
    assert os.readlink(folder / "ld") == str(moved / "mold")
    machine["COMPILER_PATH"] = str(tmp_path)
    assert "COMPILER_PATH" not in opencl.environment(POCL, machine)


def test_a_link_to_mold_that_cannot_be_made_is_told(machine, tmp_path):
    machine["PATH"] = str(tmp_path / "tools")
    opencl.environment(POCL, machine)
    program(tmp_path / "tools" / "mold", "#!/bin/sh\n")
    folder = tmp_path / "cache" / "openvino-layer-conformance" / "linker"
    folder.write_text("a file in the folder's place")
    with pytest.raises(opencl.OpenCLError, match=re.escape(f"{folder}: ")):
        opencl.environment(POCL, machine)


def test_a_cache_that_is_named_is_kept(machine, tmp_path):
    mine = str(tmp_path / "mine")
    found = opencl.environment(POCL, machine | {"POCL_CACHE_DIR": mine})
    assert found["POCL_CACHE_DIR"] == mine


def without_driver(machine, tmp_path):
    (tmp_path / "vendors" / "pocl.icd").unlink()


def without_compiler(machine, tmp_path):
    machine["PATH"] = str(tmp_path)


def with_a_compiler_that_is_not_there(machine, tmp_path):
    machine["CC"] = "no-such-cc -m64"


def without_headers(machine, tmp_path):
    text = "#!/bin/sh\necho layer.c:1:10: fatal error: CL/cl_layer.h: No such file >&2; exit 1\n"
    program(tmp_path / "tools" / "cc", text)


def with_a_cache_that_is_a_file(machine, tmp_path):
    (tmp_path / "cache").write_text("")


@pytest.mark.parametrize(
    "broken, told",
    [
        (without_driver, r"PoCL \(CPU\) is not installed: there is no .*pocl.icd; Debian 13"),
        (without_compiler, r"no C compiler for the OpenCL layer \(cc, gcc, clang\); Debian"),
        (with_a_compiler_that_is_not_there, r"no C compiler .* \(no-such-cc\); Debian"),
        (without_headers, "cc cannot compile layer.c: .*CL/cl_layer.h: No such file; Deb"),
        (with_a_cache_that_is_a_file, r".*cache.*: (Not a directory|File exists)$"),
    ],
)
def test_what_is_missing_is_told_in_one_line(machine, tmp_path, broken, told):
    broken(machine, tmp_path)
    with pytest.raises(opencl.OpenCLError, match=f"^profile opencl=pocl: {told}") as caught:
        opencl.environment(POCL, machine)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.glob("cache/*/*.so"))


def test_a_layer_that_does_not_compile_leaves_nothing(machine, tmp_path):
    without_headers(machine, tmp_path)
    with pytest.raises(opencl.OpenCLError):
        opencl.environment(POCL, machine)
    assert not list(tmp_path.rglob("*.so"))


def test_names_of_stacks_are_checked():
    assert parse_profile("opencl=pocl,CACHE_DIR=x").opencl == "pocl"
    with pytest.raises(ProfileError, match="unknown opencl 'rocm'; known: pocl, rusticl"):
        parse_profile("opencl=rocm")


def test_the_profile_is_for_the_gpu_alone():
    profile = parse_profile("opencl=pocl")
    profile.check_device("AUTO:GPU")
    with pytest.raises(ProfileError, match="opencl is for the GPU plugin, not for CPU"):
        profile.check_device("CPU")


def test_the_label_says_what_ran():
    label = parse_profile("opencl=pocl").label("GPU", "cpu-haswell (dGPU)")
    assert label == "GPU plugin, generic kernels, on PoCL (CPU): cpu-haswell (dGPU)"
    assert parse_profile("accuracy").label("GPU", "Intel(R) Arc") == "Intel(R) Arc"


def test_packs_are_small_where_each_kernel_is_compiled_by_the_processor():
    usual, software = parse_profile("accuracy"), parse_profile("opencl=pocl")
    assert pack_size_of(None, [usual]) == 100
    assert pack_size_of(None, [usual, software]) == 8
    assert pack_size_of("30", [software]) == 30


def suite(machine, *options):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "tests/conformance", "--operation=Abs-1", "-q", *options],
        cwd=ROOT,
        env={**os.environ, **machine},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    "device, profile, broken, told",
    [
        ("GPU", "opencl=pocl", without_driver, "PoCL (CPU) is not installed"),
        ("GPU", "opencl=pocl", without_compiler, "no C compiler for the OpenCL layer"),
        ("GPU", "opencl=none", None, "unknown opencl 'none'; known: pocl, rusticl"),
        ("CPU", "opencl=pocl", None, "opencl is for the GPU plugin, not for CPU"),
        # The files of the compiler and the driver above are no libraries.
        ("GPU", "opencl=pocl", None, " does not load: "),
    ],
)
def test_a_run_ends_with_one_line(machine, tmp_path, device, profile, broken, told):
    if broken is not None:
        broken(machine, tmp_path)
    results = f"--results={tmp_path / 'r.jsonl'}"
    done = suite(machine, "--device", device, "--profile", profile, results)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("error: ")
    assert told in done.stderr
    assert not done.stdout


HEADERS = Path("/usr/include/CL/cl_layer.h")


needs_headers = pytest.mark.skipif(
    not HEADERS.is_file() or not shutil.which("cc"),
    reason="needs a C compiler and the package opencl-headers",
)


@needs_headers
def test_the_layer_compiles_without_a_warning(tmp_path):
    command = ["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", tmp_path / "layer.so", layer.SOURCE], check=True)


# A driver whose events are numbers and that prints what it is asked for; a program that enqueues three kernels.
PROGRAM = """
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static cl_queue_properties given;
static volatile int events, references, all_enqueued;

/* Instead of the C library's: the layer starts no kernel before all are enqueued, however busy the machine is. */
int usleep(useconds_t microseconds) {
  const struct timespec pause = {0, microseconds * 1000L};
  do nanosleep(&pause, NULL);
  while (!all_enqueued);
  return 0;
}

static cl_command_queue create_queue(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *status) {
  given = properties[1];
  return (cl_command_queue)1;
}
static cl_int queue_info(
    cl_command_queue queue, cl_command_queue_info name, size_t size, void *value, size_t *written) {
  *(uintptr_t *)value = name == CL_QUEUE_PROPERTIES ? given : 1;
  return 0;
}
static cl_int retain(cl_event event) { __sync_fetch_and_add(&references, 1); return 0; }
static cl_event create(cl_context context, cl_int *status) { retain(NULL); return (cl_event)(uintptr_t)++events; }
static cl_int release(cl_event event) { __sync_fetch_and_sub(&references, 1); return 0; }
static cl_int start(cl_event event, cl_int status) { printf("%d starts\\n", (int)(uintptr_t)event); return 0; }
static cl_int barrier(cl_command_queue queue, cl_uint count, const cl_event *awaited, cl_event *event) {
  printf("barrier\\n");
  return 0;
}
static cl_int enqueue(
    cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint count, const cl_event *awaited, cl_event *event) {
  printf("%d waits for %d\\n", (int)(uintptr_t)kernel, count ? (int)(uintptr_t)*awaited : 0);
  return 0;
}

int main(int count, char **arguments) {
  struct _cl_icd_dispatch driver = {0};
  driver.clCreateCommandQueueWithProperties = create_queue;
  driver.clGetCommandQueueInfo = queue_info;
  driver.clCreateUserEvent = create;
  driver.clRetainEvent = retain;
  driver.clReleaseEvent = release;
  driver.clSetUserEventStatus = start;
  driver.clEnqueueNDRangeKernel = enqueue;
  driver.clEnqueueBarrierWithWaitList = barrier;
  pfn_clInitLayer init = (pfn_clInitLayer)dlsym(dlopen(arguments[1], RTLD_NOW), "clInitLayer");
  const struct _cl_icd_dispatch *layer;
  cl_uint entries;
  if (init(sizeof driver / sizeof driver.clGetPlatformIDs, &driver, &entries, &layer)) return 1;
  const cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  cl_command_queue queue = layer->clCreateCommandQueueWithProperties(NULL, NULL, wanted, NULL);
  printf("%s order\\n", given ? "any" : "in");
  for (uintptr_t kernel = 11; kernel < 14; kernel++) {
    if (kernel == 13 && *arguments[2] == 'b') layer->clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
    cl_event awaited = (cl_event)9;
    layer->clEnqueueNDRangeKernel(
        queue, (cl_kernel)kernel, 1, NULL, NULL, NULL, kernel == 12 && *arguments[2] == 'w', &awaited, NULL);
  }
  all_enqueued = 1;
  for (int i = 0; references && i < 1000; i++) usleep(10000);
  printf("%d references\\n", references);
  return 0;
}
"""
BACKWARDS = ["3 starts", "2 starts", "1 starts"]
IN_ANY_ORDER = ["11 waits for 0", "12 waits for 0", "13 waits for 0"]


@needs_headers
@pytest.mark.parametrize(
    "order, how, told",
    [
        ("", "", ["any order", *IN_ANY_ORDER]),
        ("in", "", ["in order", *IN_ANY_ORDER]),
        (
            "reversed",
            "",
            ["any order", "11 waits for 1", "12 waits for 2", "13 waits for 3", *BACKWARDS],
        ),
        (
            # A kernel that waits for an event already is left alone.
            "reversed",
            "waits",
            ["any order", "11 waits for 1", "12 waits for 9", "13 waits for 2", *BACKWARDS[1:]],
        ),
        (
            # What is behind a barrier starts behind what is before it.
            "reversed",
            "barrier",
            [
                "any order",
                "11 waits for 1",
                "12 waits for 2",
                "barrier",
                "13 waits for 3",
                *BACKWARDS[1:],
                BACKWARDS[0],
            ],
        ),
    ],
)
def test_the_layer_orders_kernels(tmp_path, order, how, told):
    (tmp_path / "program.c").write_text(PROGRAM)
    for flags in (
        ["-shared", "-fPIC", "-o", tmp_path / "layer.so", layer.SOURCE],
        ["-rdynamic", "-o", tmp_path / "program", tmp_path / "program.c", "-ldl"],
    ):
        subprocess.run(["cc", "-pthread", *flags], check=True)
    done = subprocess.run(
        [tmp_path / "program", tmp_path / "layer.so", how],
        env={**os.environ, "CONFORMANCE_OPENCL_ORDER": order},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == [*told, "0 references"]


LOADER = """
int clGetPlatformIDs(unsigned n, void **to, unsigned *count) {
  if (to) to[0] = &LOADER;
  if (count) *count = 1;
  return 0;
}
int clGetDeviceIDs(void *p, unsigned long type, unsigned n, void **to, unsigned *count) {
  if (to && DEVICES) to[0] = &LOADER;
  if (count) *count = DEVICES;
  return 0;
}
int clGetDeviceInfo(void *d, unsigned name, unsigned long size, unsigned long *value, void *w) {
  *value = TYPE;
  return 0;
}
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Compiles a library: name, text, macros -> path."""
    if not shutil.which("cc"):
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("libraries")

    def compiled(name, text, *macros):
        (folder / "source.c").write_text(text)
        command = ["cc", "-shared", "-fPIC", *macros, "-o", folder / name, folder / "source.c"]
        subprocess.run(command, check=True)
        return folder / name

    return compiled


@pytest.mark.parametrize(
    "layer_text, driver, devices, kind, told",
    [
        ("int clInitLayer;", "", 1, 4, ""),
        ("int clInitLayer;", "", 1, 2, "the OpenCL layer .* has no effect: remove it"),
        ("int clInitLayer;", "", 0, 4, "has no device: it needs /sys and /proc"),
        (
            "int clInitLayer;",
            "libnowhere.so",
            1,
            4,
            "the driver of .*icd does not load: libnowhere",
        ),
        ("int other;", "", 1, 4, "is not an OpenCL layer: remove it"),
    ],
)
def test_what_keeps_the_gpu_away_is_found(
    libraries, tmp_path, layer_text, driver, devices, kind, told
):
    macros = ("-DLOADER=clGetPlatformIDs", f"-DDEVICES={devices}", f"-DTYPE={kind}")
    loader = libraries("libOpenCL.so.1", LOADER, *macros)
    own_layer = libraries("layer.so", layer_text)
    icd = tmp_path / "stub.icd"
    icd.write_text(f"{driver or own_layer}\n")
    found = opencl.what_is_missing(
        {
            "LD_LIBRARY_PATH": str(loader.parent),
            "OPENCL_LAYERS": str(own_layer),
            "OCL_ICD_VENDORS": str(icd),
        }
    )
    if told:
        assert re.search(told, found), found
        assert "\n" not in found
    else:
        assert found == ""
