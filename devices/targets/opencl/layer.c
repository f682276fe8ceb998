/* An OpenCL layer, which the ICD loader puts between a program and its drivers (OPENCL_LAYERS).
 *
 * With it OpenVINO's GPU plugin takes a processor for a GPU:
 * - every device says that it is a GPU;
 * - no device has extensions whose name contains the text of CONFORMANCE_OPENCL_HIDDEN;
 * - the text of CONFORMANCE_OPENCL_OPTIONS is appended to the options of each build of a program;
 * - what the driver says of a build that fails, and the plugin does not tell, is appended to the file CONFORMANCE_OPENCL_LOG;
 * - with CONFORMANCE_OPENCL_ORDER=in every queue runs its commands in order, whatever the program asks for; with =reversed a
 *   queue that the program wants out of order starts kernels in the reverse order, as far as barriers let it;
 * - with CONFORMANCE_OPENCL_FLUSH=unmap a queue is flushed behind each command that gives mapped memory back.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct _cl_icd_dispatch *driver;
static struct _cl_icd_dispatch layer;

/* Answer a query as OpenCL does: `value` and `written` may each be null. */
static cl_int answer(const void *found, size_t bytes, size_t capacity, void *value, size_t *written) {
  if (written) *written = bytes;
  if (!value) return CL_SUCCESS;
  if (capacity < bytes) return CL_INVALID_VALUE;
  memcpy(value, found, bytes);
  return CL_SUCCESS;
}

static cl_int extensions(
    cl_device_id device, const char *hidden, size_t capacity, void *value, size_t *written) {
  size_t bytes = 0;
  cl_int status = driver->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes);
  if (status != CL_SUCCESS) return status;
  char *all = calloc(bytes + 1, 1), *kept = calloc(bytes + 1, 1);
  if (!all || !kept) {
    status = CL_OUT_OF_HOST_MEMORY;
  } else if ((status = driver->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, all, NULL)) == CL_SUCCESS) {
    char *rest = NULL;
    for (char *name = strtok_r(all, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
      if (strstr(name, hidden)) continue;
      if (*kept) strcat(kept, " ");
      strcat(kept, name);
    }
    status = answer(kept, strlen(kept) + 1, capacity, value, written);
  }
  free(all);
  free(kept);
  return status;
}

static cl_int CL_API_CALL get_device_info(
    cl_device_id device, cl_device_info name, size_t capacity, void *value, size_t *written) {
  const char *hidden = getenv("CONFORMANCE_OPENCL_HIDDEN");
  if (name == CL_DEVICE_EXTENSIONS && hidden && *hidden)
    return extensions(device, hidden, capacity, value, written);
  if (name != CL_DEVICE_TYPE) return driver->clGetDeviceInfo(device, name, capacity, value, written);
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  return answer(&type, sizeof type, capacity, value, written);
}

static void keep_log(cl_program program, cl_device_id device) {
  const char *path = getenv("CONFORMANCE_OPENCL_LOG");
  size_t bytes = 0;
  if (!path || !*path || driver->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes)) return;
  char *log = calloc(bytes + 1, 1);
  FILE *file = log ? fopen(path, "a") : NULL;
  if (file && !driver->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL))
    fprintf(file, "%s\n", log);
  if (file) fclose(file);
  free(log);
}

static cl_int CL_API_CALL build_program(
    cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
    void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
  const char *added = getenv("CONFORMANCE_OPENCL_OPTIONS");
  if (!added) added = "";
  if (!options) options = "";
  char *joined = malloc(strlen(options) + strlen(added) + 2);
  if (!joined) return CL_OUT_OF_HOST_MEMORY;
  strcat(strcat(strcpy(joined, options), " "), added);
  cl_int status = driver->clBuildProgram(program, count, devices, joined, notify, data);
  free(joined);
  if (status != CL_SUCCESS && count) keep_log(program, devices[0]);
  return status;
}

static int ordered(const char *how) {
  const char *order = getenv("CONFORMANCE_OPENCL_ORDER");
  return order && !strcmp(order, how);
}

static cl_command_queue CL_API_CALL create_queue(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *status) {
  cl_queue_properties changed[32] = {0};
  size_t i = 0;
  for (; properties && properties[i] && i + 2 < sizeof changed / sizeof *changed; i += 2) {
    changed[i] = properties[i];
    changed[i + 1] = properties[i + 1];
    if (changed[i] == CL_QUEUE_PROPERTIES && ordered("in"))
      changed[i + 1] &= ~(cl_queue_properties)CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  }
  return driver->clCreateCommandQueueWithProperties(context, device, properties ? changed : NULL, status);
}

/* Kernels that wait for an event of ours, the newest first. */
struct held {
  cl_event start;
  unsigned long barriers; /* enqueued before it, in whatever queue */
  struct held *older;
};
static struct held *newest;
static unsigned long enqueued, barriers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes the kernel that starts next from those that are held: the newest of those between the same two barriers. */
static struct held *next_to_start(void) {
  struct held **found = &newest;
  for (struct held **place = &newest; *place; place = &(*place)->older)
    if ((*place)->barriers < (*found)->barriers) found = place;
  struct held *kernel = *found;
  if (kernel) *found = kernel->older;
  return kernel;
}

/* Lets kernels start: once the program has enqueued none for so long that it waits for something, then one after the other,
 * each with the time to end before the next one starts. */
static void *let_start(void *nothing) {
  const useconds_t quiet = 20000, apart = 5000;
  unsigned long seen = 0;
  for (useconds_t pause = quiet;; usleep(pause)) {
    pthread_mutex_lock(&lock);
    struct held *kernel = seen == enqueued ? next_to_start() : NULL;
    pause = seen == enqueued && newest ? apart : quiet;
    seen = enqueued;
    pthread_mutex_unlock(&lock);
    if (!kernel) continue;
    driver->clSetUserEventStatus(kernel->start, CL_COMPLETE);
    driver->clReleaseEvent(kernel->start);
    free(kernel);
  }
  return nothing;
}

static void begin(void) {
  pthread_t thread;
  if (!pthread_create(&thread, NULL, let_start, NULL)) pthread_detach(thread);
}

/* An event for a kernel to wait for, which the caller releases, or null where the queue runs in order. */
static cl_event hold(cl_command_queue queue) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  cl_command_queue_properties properties = 0;
  cl_context context = NULL;
  driver->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
  driver->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
  struct held *kernel = malloc(sizeof *kernel);
  if (!kernel || !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) ||
      !(kernel->start = driver->clCreateUserEvent(context, NULL))) {
    free(kernel);
    return NULL;
  }
  cl_event start = kernel->start;
  driver->clRetainEvent(start);
  pthread_mutex_lock(&lock);
  kernel->barriers = barriers;
  kernel->older = newest;
  newest = kernel;
  enqueued++;
  pthread_mutex_unlock(&lock);
  pthread_once(&once, begin);
  return start;
}

static cl_int CL_API_CALL enqueue_kernel(
    cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint count, const cl_event *awaited, cl_event *event) {
  cl_event start = !count && ordered("reversed") ? hold(queue) : NULL;
  cl_int status = driver->clEnqueueNDRangeKernel(
      queue, kernel, dimensions, offset, global, local, start ? 1 : count, start ? &start : awaited, event);
  if (start) driver->clReleaseEvent(start);
  return status;
}

static cl_int CL_API_CALL enqueue_barrier(
    cl_command_queue queue, cl_uint count, const cl_event *awaited, cl_event *event) {
  pthread_mutex_lock(&lock);
  barriers++;
  pthread_mutex_unlock(&lock);
  return driver->clEnqueueBarrierWithWaitList(queue, count, awaited, event);
}

static cl_int CL_API_CALL enqueue_unmap(
    cl_command_queue queue, cl_mem memory, void *mapped, cl_uint count, const cl_event *awaited, cl_event *event) {
  const char *flushed = getenv("CONFORMANCE_OPENCL_FLUSH");
  cl_int status = driver->clEnqueueUnmapMemObject(queue, memory, mapped, count, awaited, event);
  if (status == CL_SUCCESS && flushed && !strcmp(flushed, "unmap")) status = driver->clFlush(queue);
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t capacity, void *value, size_t *written) {
  static const char own[] = "CPU as GPU";
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name == CL_LAYER_API_VERSION) return answer(&version, sizeof version, capacity, value, written);
  if (name == CL_LAYER_NAME) return answer(own, sizeof own, capacity, value, written);
  return CL_INVALID_VALUE;
}

/* What the layer does not define the loader takes from the driver. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayer(
    cl_uint entries, const struct _cl_icd_dispatch *target, cl_uint *own_entries,
    const struct _cl_icd_dispatch **own) {
  if (!target || !own_entries || !own || entries < sizeof layer / sizeof layer.clGetPlatformIDs)
    return CL_INVALID_VALUE;
  driver = target;
  layer.clGetDeviceInfo = get_device_info;
  layer.clBuildProgram = build_program;
  layer.clCreateCommandQueueWithProperties = create_queue;
  layer.clEnqueueNDRangeKernel = enqueue_kernel;
  layer.clEnqueueBarrierWithWaitList = enqueue_barrier;
  layer.clEnqueueUnmapMemObject = enqueue_unmap;
  *own = &layer;
  *own_entries = sizeof layer / sizeof layer.clGetPlatformIDs;
  return CL_SUCCESS;
}
