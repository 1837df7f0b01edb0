/* call.c: a call into the library: its threads, how Ctrl-C reaches it, what it raises. */
#include "core.h"
#include "ztile_expert.h"

#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Taking the interpreter's lock can take milliseconds where other threads run Python, so signals
 * are looked at some ten times a second, however often the library reports. */
static const double look_seconds = 0.1;

static int on_progress(void *user, uint64_t done_tiles, uint64_t total_tiles)
{
    struct core_call *call = user;
    (void)done_tiles;
    (void)total_tiles;
    const double now = seconds();
    if (now < call->next_look && now > call->next_look - 2 * look_seconds)
        return 0;
    call->next_look = now + look_seconds;
    const PyGILState_STATE state = PyGILState_Ensure();
    call->is_interrupted = PyErr_CheckSignals() != 0;
    PyGILState_Release(state);
    return call->is_interrupted;
}

static unsigned long long memory_limit, output_limit; /* guarded by the interpreter's lock */

PyObject *core_set_limits(PyObject *module, PyObject *arguments)
{
    (void)module;
    if (!PyArg_ParseTuple(arguments, "KK", &memory_limit, &output_limit))
        return NULL;
    Py_RETURN_NONE;
}

int core_run_get(PyObject *object, void *run)
{
    struct core_run *const r = run;
    unsigned long long stream;
    *r = (struct core_run){.threads = 0};
    if (PyTuple_Check(object)) {
        if (!PyArg_ParseTuple(object, "iK:run", &r->cuda.device, &stream))
            return 0;
        r->cuda.stream = (void *)(uintptr_t)stream;
        return 1;
    }
    const unsigned long threads = PyLong_AsUnsignedLong(object);
    if (!PyErr_Occurred() && (threads < 1 || threads > UINT32_MAX))
        PyErr_SetString(PyExc_ValueError, "threads is at least 1");
    r->threads = (unsigned)threads;
    return !PyErr_Occurred();
}

/* Set the policy. On threads, where a build has none the bytes are the same without. */
static zt_status set_run(struct core_call *call, const struct core_run *run)
{
    const zt_omp omp = {.threads = run->threads};
    if (run->threads == 0)
        return zt_context_set_cuda(call->context, &run->cuda);
    const zt_status status = run->threads > 1 ? zt_context_set_omp(call->context, &omp) : ZT_OK;
    return status == ZT_UNSUPPORTED ? ZT_OK : status;
}

int core_call_begin(const struct core_run *run, struct core_call *call)
{
    call->next_look = seconds() + look_seconds;
    call->is_interrupted = false;
    if (zt_context_new(NULL, &call->context)) {
        PyErr_NoMemory();
        return -1;
    }
    zt_limits limits;
    zt_limits_init(&limits, sizeof limits);
    limits.memory_bytes = memory_limit;
    limits.output_bytes = output_limit;
    zt_context_set_limits(call->context, &limits);
    zt_context_set_progress(call->context, on_progress, call);
    const zt_status status = set_run(call, run);
    if (status) {
        if (run->threads == 0)
            core_raise_without_gpu(call, status);
        else
            core_raise(call, status);
        core_call_end(call);
        return -1;
    }
    return 0;
}

void core_call_end(struct core_call *call)
{
    zt_context_free(call->context);
    call->context = NULL;
}

void core_raise_sentence(zt_status status, const char *sentence)
{
    PyObject *module = PyImport_ImportModule("ztile._errors");
    PyObject *error =
        module ? PyObject_CallMethod(module, "error_of", "is", (int)status, sentence) : NULL;
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    Py_XDECREF(module);
}

void core_raise(const struct core_call *call, zt_status status)
{
    if (PyErr_Occurred())
        return;
    const char *sentence = zt_context_error(call->context);
    core_raise_sentence(status, *sentence ? sentence : zt_strerror(status));
}

void core_raise_without_gpu(const struct core_call *call, zt_status status)
{
    static const char advice[] = "; use serial or omp"; /* of the library's sentences */
    char sentence[600];
    const char *const text = zt_context_error(call->context);
    const char *const end = strstr(text, advice);
    const int n = (int)(end ? (size_t)(end - text) : strlen(text));
    (void)PyOS_snprintf(sentence, sizeof sentence,
                        "ztile cannot use this GPU: %.*s; copy the arrays to the host", n, text);
    core_raise_sentence(status, sentence);
}
