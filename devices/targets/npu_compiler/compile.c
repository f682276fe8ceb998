/* Asks a device of OpenVINO for Windows to compile models: compile.exe FOLDER DEVICE [KEY VALUE]...
 *
 * FOLDER has openvino_c.dll and the compiler. A question on standard input is the line `ask XML WEIGHTS` and then so many
 * bytes of the model and of its weights; it is compiled and exported twice.
 * Answers are lines on what was standard output, of words with tabs between them; what libraries print goes to standard error:
 *
 *   setting KEY VALUE        before each setting is set, of which a wrong one may end the process
 *   opened RELEASE NAME      or  failed WORDS
 *   stage NAME               before read, compile and export
 *   port model|compiled input|output TYPE SHAPE NAME
 *   blob BYTES HASH
 *   refused STAGE WORDS
 *   done STAGE=SECONDS...
 *
 * Before `refused` the line `--- refused` goes to standard error, behind what was printed about it. Ends of lines in WORDS are
 * vertical tabs. What was exported is not imported: that takes an NPU ("No backend registered").
 *
 * The process ends, whatever it is doing, when standard input is closed. Of an exception that Windows raises, such as for a
 * division by zero, it prints the address before it ends.
 */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- OpenVINO's C interface -------------------------------------------------------------------------------------- */

typedef struct ov_core ov_core_t;
typedef struct ov_model ov_model_t;
typedef struct ov_compiled_model ov_compiled_model_t;
typedef struct ov_tensor ov_tensor_t;
typedef struct ov_port ov_port_t;
typedef struct { const char *build; const char *description; } ov_version_t;
typedef struct { int64_t rank; int64_t *dims; } ov_shape_t;
typedef struct { int64_t min, max; } ov_dimension_t;
typedef struct { ov_dimension_t rank; ov_dimension_t *dims; } ov_partial_shape_t;

#define FUNCTIONS \
    F(int, ov_get_openvino_version, (ov_version_t *)) \
    F(const char *, ov_get_last_err_msg, (void)) \
    F(int, ov_core_create, (ov_core_t **)) \
    F(int, ov_core_set_property, (const ov_core_t *, const char *, ...)) \
    F(int, ov_core_get_property, (const ov_core_t *, const char *, const char *, char **)) \
    F(int, ov_core_read_model_from_memory_buffer, (const ov_core_t *, const char *, size_t, const ov_tensor_t *, ov_model_t **)) \
    F(int, ov_core_compile_model, (const ov_core_t *, const ov_model_t *, const char *, size_t, ov_compiled_model_t **, ...)) \
    F(int, ov_tensor_create_from_host_ptr, (int, ov_shape_t, void *, ov_tensor_t **)) \
    F(void, ov_tensor_free, (ov_tensor_t *)) \
    F(void, ov_model_free, (ov_model_t *)) \
    F(int, ov_model_inputs_size, (const ov_model_t *, size_t *)) \
    F(int, ov_model_outputs_size, (const ov_model_t *, size_t *)) \
    F(int, ov_model_const_input_by_index, (const ov_model_t *, size_t, ov_port_t **)) \
    F(int, ov_model_const_output_by_index, (const ov_model_t *, size_t, ov_port_t **)) \
    F(void, ov_compiled_model_free, (ov_compiled_model_t *)) \
    F(int, ov_compiled_model_inputs_size, (const ov_compiled_model_t *, size_t *)) \
    F(int, ov_compiled_model_outputs_size, (const ov_compiled_model_t *, size_t *)) \
    F(int, ov_compiled_model_input_by_index, (const ov_compiled_model_t *, size_t, ov_port_t **)) \
    F(int, ov_compiled_model_output_by_index, (const ov_compiled_model_t *, size_t, ov_port_t **)) \
    F(int, ov_compiled_model_export_model, (const ov_compiled_model_t *, const char *)) \
    F(int, ov_port_get_any_name, (const ov_port_t *, char **)) \
    F(int, ov_port_get_element_type, (const ov_port_t *, int *)) \
    F(int, ov_port_get_partial_shape, (const ov_port_t *, ov_partial_shape_t *)) \
    F(void, ov_partial_shape_free, (ov_partial_shape_t *)) \
    F(void, ov_output_const_port_free, (ov_port_t *)) \
    F(void, ov_free, (const char *))

#define F(result, name, arguments) static result(*name) arguments;
FUNCTIONS
#undef F

/* The enumeration ov_element_type_e; the number of u8, in which weights are given. */
static const char *const TYPES[] = {
    "dynamic", "boolean", "bf16", "f16", "f32", "f64", "i4", "i8", "i16", "i32", "i64", "u1", "u2", "u3", "u4", "u6", "u8",
    "u16", "u32", "u64", "nf4", "f8e4m3", "f8e5m2", "string", "f4e2m1", "f8e8m0"};
#define U8 16

/* --- answers ------------------------------------------------------------------------------------------------------ */

static FILE *answers;

/* A line: words with tabs between them, in which tabs and ends of lines are spaces. The last one is NULL. */
static void answer(const char *first, ...) {
    va_list words;
    va_start(words, first);
    for (const char *word = first; word; word = va_arg(words, const char *)) {
        if (word != first) fputc('\t', answers);
        for (const char *c = word; *c; c++) fputc(*c == '\t' ? ' ' : *c == '\r' ? ' ' : *c == '\n' ? '\v' : *c, answers);
    }
    va_end(words);
    fputc('\n', answers);
    fflush(answers);
}

static double now(void) {
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (double)count.QuadPart / (double)frequency.QuadPart;
}

static const char *const STAGES[] = {"read", "compile", "export"};
#define STAGE_COUNT ((int)(sizeof STAGES / sizeof *STAGES))
static double seconds[STAGE_COUNT], stage_start;
static int stage = -1;

static void end_stage(void) {
    if (stage >= 0) seconds[stage] += now() - stage_start;
    stage = -1;
}

static void begin_stage(const char *name) {
    end_stage();
    answer("stage", name, NULL);
    for (stage = 0; strcmp(STAGES[stage], name); stage++) {
    }
    stage_start = now();
}

static void done(void) {
    end_stage();
    fputs("done", answers);
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (seconds[i] > 0) fprintf(answers, "\t%s=%.6f", STAGES[i], seconds[i]);
        seconds[i] = 0;
    }
    fputc('\n', answers);
    fflush(answers);
}

/* What was printed about it stands before this line, in another pipe than the answer. */
#define MARK "--- refused\n"

static void refused(const char *at) {
    end_stage();
    DWORD written;
    fflush(stderr);
    WriteFile(GetStdHandle(STD_ERROR_HANDLE), MARK, sizeof MARK - 1, &written, NULL);
    answer("refused", at, ov_get_last_err_msg(), NULL);
}

/* A shape in OpenVINO's notation, such as [2,?,1..7], and [...] where the rank is not known. */
static void write_shape(char *text, size_t size, const ov_partial_shape_t *shape) {
    if (shape->rank.min != shape->rank.max) return;
    size_t at = (size_t)snprintf(text, size, "[");
    for (int64_t i = 0; i < shape->rank.max && at + 64 < size; i++) {
        long long low = shape->dims[i].min, high = shape->dims[i].max;
        const char *comma = i ? "," : "";
        if (low == high) at += (size_t)snprintf(text + at, size - at, "%s%lld", comma, low);
        else if (high != -1) at += (size_t)snprintf(text + at, size - at, "%s%lld..%lld", comma, low, high);
        else if (low > 0) at += (size_t)snprintf(text + at, size - at, "%s%lld..", comma, low);
        else at += (size_t)snprintf(text + at, size - at, "%s?", comma);
    }
    snprintf(text + at, size - at, "]");
}

static void answer_port(const char *of, const char *side, ov_port_t *port) {
    int type = 0;
    char *name = NULL;
    ov_partial_shape_t shape;
    ov_port_get_element_type(port, &type);
    if (ov_port_get_any_name(port, &name)) name = NULL;
    char text[1024] = "[...]";
    if (!ov_port_get_partial_shape(port, &shape)) {
        write_shape(text, sizeof text, &shape);
        ov_partial_shape_free(&shape);
    }
    char unknown[16];
    snprintf(unknown, sizeof unknown, "%d", type);
    const char *type_name = type >= 0 && type < (int)(sizeof TYPES / sizeof *TYPES) ? TYPES[type] : unknown;
    answer("port", of, side, type_name, text, name ? name : "", NULL);
    if (name) ov_free(name);
    ov_output_const_port_free(port);
}

static void answer_model(const ov_model_t *model) {
    size_t inputs = 0, outputs = 0;
    ov_port_t *port;
    ov_model_inputs_size(model, &inputs);
    ov_model_outputs_size(model, &outputs);
    for (size_t i = 0; i < inputs; i++)
        if (!ov_model_const_input_by_index(model, i, &port)) answer_port("model", "input", port);
    for (size_t i = 0; i < outputs; i++)
        if (!ov_model_const_output_by_index(model, i, &port)) answer_port("model", "output", port);
}

static void answer_compiled(const ov_compiled_model_t *compiled) {
    size_t inputs = 0, outputs = 0;
    ov_port_t *port;
    ov_compiled_model_inputs_size(compiled, &inputs);
    ov_compiled_model_outputs_size(compiled, &outputs);
    for (size_t i = 0; i < inputs; i++)
        if (!ov_compiled_model_input_by_index(compiled, i, &port)) answer_port("compiled", "input", port);
    for (size_t i = 0; i < outputs; i++)
        if (!ov_compiled_model_output_by_index(compiled, i, &port)) answer_port("compiled", "output", port);
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

typedef struct { size_t xml_size, weights_size; char *xml, *weights; } question_t;

static question_t question;
static HANDLE asked, answered;

/* Read questions until standard input is closed, and then end the process: also while another thread compiles. */
static DWORD WINAPI receive(void *unused) {
    (void)unused;
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        question_t next = {0};
        if (sscanf(line, "ask %zu %zu", &next.xml_size, &next.weights_size) != 2) break;
        next.xml = malloc(next.xml_size + 1);
        next.weights = malloc(next.weights_size + 1);
        if (!next.xml || !next.weights) break;
        if (fread(next.xml, 1, next.xml_size, stdin) != next.xml_size) break;
        if (fread(next.weights, 1, next.weights_size, stdin) != next.weights_size) break;
        next.xml[next.xml_size] = 0;
        WaitForSingleObject(answered, INFINITE);
        question = next;
        ReleaseSemaphore(asked, 1, NULL);
    }
    TerminateProcess(GetCurrentProcess(), 0);
    return 0;
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *content = malloc(*size + 1);
    if (content && fread(content, 1, *size, file) != *size) {
        free(content);
        content = NULL;
    }
    fclose(file);
    return content;
}

/* FNV-1a, of 64 bits. */
static uint64_t hash_of(const char *content, size_t size) {
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)content[i]) * 0x100000001b3ull;
    return hash;
}

/* Export what was compiled, and answer the size and the hash of it. Whether it was accepted. */
static int export(const ov_compiled_model_t *compiled) {
    char folder[MAX_PATH], path[MAX_PATH], bytes[32], hash[32];
    GetTempPathA(sizeof folder, folder);
    snprintf(path, sizeof path, "%sconformance-%lu.blob", folder, GetCurrentProcessId());
    begin_stage("export");
    if (ov_compiled_model_export_model(compiled, path)) {
        refused("export");
        return 0;
    }
    size_t size = 0;
    char *blob = read_file(path, &size);
    DeleteFileA(path);
    if (!blob) {
        answer("refused", "export", "the exported file cannot be read", NULL);
        return 0;
    }
    snprintf(bytes, sizeof bytes, "%zu", size);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_of(blob, size));
    answer("blob", bytes, hash, NULL);
    free(blob);
    return 1;
}

static void ask(ov_core_t *core, const char *device) {
    ov_tensor_t *weights = NULL;
    ov_model_t *model = NULL;
    begin_stage("read");
    int64_t size = (int64_t)question.weights_size;
    ov_shape_t shape = {1, &size};
    if (size && ov_tensor_create_from_host_ptr(U8, shape, question.weights, &weights)) {
        refused("read");
    } else if (ov_core_read_model_from_memory_buffer(core, question.xml, question.xml_size, weights, &model)) {
        refused("read");
    } else {
        end_stage();
        answer_model(model);
        for (int time = 0; time < 2; time++) {
            ov_compiled_model_t *compiled = NULL;
            begin_stage("compile");
            if (ov_core_compile_model(core, model, device, 0, &compiled)) {
                refused("compile");
                break;
            }
            end_stage();
            if (time == 0) answer_compiled(compiled);
            int goes_on = export(compiled);
            ov_compiled_model_free(compiled);
            if (!goes_on) break;
        }
        ov_model_free(model);
    }
    if (weights) ov_tensor_free(weights);
    free(question.xml);
    free(question.weights);
    done();
}

/* --- the process -------------------------------------------------------------------------------------------------- */

static LONG WINAPI on_exception(EXCEPTION_POINTERS *raised) {
    DWORD code = raised->ExceptionRecord->ExceptionCode;
    char *address = raised->ExceptionRecord->ExceptionAddress;
    char path[MAX_PATH] = "";
    HMODULE module = NULL;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, address, &module);
    if (module) GetModuleFileNameA(module, path, sizeof path);
    const char *name = strrchr(path, '\\');
    const char *what = code == EXCEPTION_INT_DIVIDE_BY_ZERO ? "division by zero"
                       : code == EXCEPTION_STACK_OVERFLOW   ? "stack overflow"
                       : code == EXCEPTION_ACCESS_VIOLATION ? "access violation"
                                                            : "exception";
    char text[512];
    int length = snprintf(text, sizeof text, "\n%s (0x%08lX) in %s+0x%llx\n", what, code, name ? name + 1 : "unknown",
                          module ? (unsigned long long)(address - (char *)module) : 0ull);
    DWORD written;
    WriteFile(GetStdHandle(STD_ERROR_HANDLE), text, (DWORD)length, &written, NULL);
    TerminateProcess(GetCurrentProcess(), code);
    return EXCEPTION_EXECUTE_HANDLER;
}

static HMODULE loaded(const char *folder, const char *name) {
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%s\\%s", folder, name);
    for (char *c = path; *c; c++)
        if (*c == '/') *c = '\\';
    HMODULE library = LoadLibraryExA(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (!library) {
        char words[MAX_PATH + 64];
        snprintf(words, sizeof words, "%s does not load: error %lu", path, GetLastError());
        answer("failed", words, NULL);
    }
    return library;
}

static int load(const char *folder) {
    HMODULE library = loaded(folder, "openvino_c.dll");
    if (!library) return 0;
#define F(result, name, arguments) \
    name = (result(*) arguments)(void *)GetProcAddress(library, #name); \
    if (!name) { \
        answer("failed", "openvino_c.dll has no " #name, NULL); \
        return 0; \
    }
    FUNCTIONS
#undef F
    /* The plugin loads it with the first model, which it would refuse if that failed. */
    return loaded(folder, "openvino_intel_npu_compiler.dll") != NULL;
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    /* Libraries cannot write answers: what they print goes to standard error. They are loaded after this. */
    int channel = _dup(1);
    _dup2(2, 1);
    SetStdHandle(STD_OUTPUT_HANDLE, GetStdHandle(STD_ERROR_HANDLE));
    _setmode(0, _O_BINARY);
    _setmode(channel, _O_BINARY);
    answers = _fdopen(channel, "wb");
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    SetUnhandledExceptionFilter(on_exception);
    if (!load(arguments[1])) return 1;
    const char *device = arguments[2];
    ov_core_t *core = NULL;
    if (ov_core_create(&core)) {
        answer("failed", ov_get_last_err_msg(), NULL);
        return 1;
    }
    /* This loads the plugin. Before, settings would be kept until then, and the wrong one not known. */
    char *name = NULL;
    if (ov_core_get_property(core, device, "FULL_DEVICE_NAME", &name)) name = NULL;
    for (int i = 3; i + 1 < count; i += 2) {
        answer("setting", arguments[i], arguments[i + 1], NULL);
        if (ov_core_set_property(core, device, arguments[i], arguments[i + 1])) {
            answer("failed", ov_get_last_err_msg(), NULL);
            return 1;
        }
    }
    ov_version_t version = {"unknown", ""};
    ov_get_openvino_version(&version);
    answer("opened", version.build, name ? name : "", NULL);
    asked = CreateSemaphoreA(NULL, 0, 1, NULL);
    answered = CreateSemaphoreA(NULL, 1, 1, NULL);
    if (!CreateThread(NULL, 0, receive, NULL, 0, NULL)) return 1;
    for (;;) {
        WaitForSingleObject(asked, INFINITE);
        ask(core, device);
        ReleaseSemaphore(answered, 1, NULL);
    }
}
