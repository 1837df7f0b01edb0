/* memory.c: memory to memory: compress, decompress, boxes, what is in a file, comparing. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "core.h"
#include "ztile_quality.h"
#include "ztile_store.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

/* Python's function for this is not part of its stable interface, but of every Python so far. Where
 * it cannot be found, the bytes are copied. */
void core_bytes_shrink(PyObject **bytes, Py_ssize_t n)
{
    int (*resize)(PyObject **, Py_ssize_t);
    void *const found = dlsym(RTLD_DEFAULT, "_PyBytes_Resize");
    if (found) {
        memcpy(&resize, &found, sizeof resize);
        (void)resize(bytes, n); /* which leaves NULL where it fails */
    } else {
        PyObject *const copy = PyBytes_FromStringAndSize(PyBytes_AsString(*bytes), n);
        Py_DECREF(*bytes);
        *bytes = copy;
    }
}

PyObject *core_compress_end(struct core_call *call, struct core_array *in, const zt_params *params,
                            const zt_zfp *zfp)
{
    PyObject *bytes = NULL;
    size_t capacity = 0, used = 0;
    zt_status status = zfp ? zt_zfp_compress_bound(call->context, &in->array, zfp, &capacity)
                           : zt_compress_bound(call->context, &in->array, params, &capacity);
    if (!status && capacity > PY_SSIZE_T_MAX)
        PyErr_NoMemory();
    else if (!status)
        bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)capacity);
    if (bytes) {
        char *out = PyBytes_AsString(bytes);
        zt_expect_writes(out, capacity);
        Py_BEGIN_ALLOW_THREADS status =
            zfp ? zt_zfp_compress(call->context, &in->array, zfp, out, capacity, &used)
                : zt_compress(call->context, &in->array, params, out, capacity, &used);
        Py_END_ALLOW_THREADS
    }
    if (status) {
        core_raise(call, status);
        Py_CLEAR(bytes);
    }
    core_call_end(call);
    core_array_release(in);
    if (bytes) /* of the worst case's memory, pages that were not written to were never there */
        core_bytes_shrink(&bytes, (Py_ssize_t)used);
    return bytes;
}

/* What is to be compressed, and how; its array is to be released. */
struct compression {
    struct core_array in;
    zt_params params;
    struct core_run run;
};

/* format is "OO!O&:NAME", or "OO!O&O:NAME" where *out, borrowed, is to get one argument more. */
static int compression_get(PyObject *args, const char *format, struct compression *c,
                           PyObject **out)
{
    PyObject *object, *tuple;
    return !PyArg_ParseTuple(args, format, &object, &PyTuple_Type, &tuple, core_run_get, &c->run,
                             out) ||
                   core_params_get(tuple, &c->params) || core_array_get(object, false, &c->in)
               ? -1
               : 0;
}

/* compress(array, params, run) -> bytes */
static PyObject *core_compress(PyObject *module, PyObject *args)
{
    (void)module;
    struct compression c;
    struct core_call call;
    if (compression_get(args, "OO!O&:compress", &c, NULL))
        return NULL;
    if (core_call_begin(&c.run, &call)) {
        core_array_release(&c.in);
        return NULL;
    }
    return core_compress_end(&call, &c.in, &c.params, NULL);
}

/* compress_into(array, params, run, out) -> bytes written */
static PyObject *core_compress_into(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *out;
    struct compression c;
    struct core_call call;
    Py_buffer view;
    size_t used = 0;
    if (compression_get(args, "OO!O&O:compress_into", &c, &out))
        return NULL;
    if (!core_bytes_get(out, true, &view)) {
        if (!core_call_begin(&c.run, &call)) {
            zt_status status;
            Py_BEGIN_ALLOW_THREADS status = zt_compress(call.context, &c.in.array, &c.params,
                                                        view.buf, (size_t)view.len, &used);
            Py_END_ALLOW_THREADS if (status) core_raise(&call, status);
            core_call_end(&call);
        }
        PyBuffer_Release(&view);
    }
    core_array_release(&c.in);
    return PyErr_Occurred() ? NULL : PyLong_FromSize_t(used);
}

/* compress_bound(array, params, run) -> the most bytes */
static PyObject *core_compress_bound(PyObject *module, PyObject *args)
{
    (void)module;
    struct compression c;
    struct core_call call;
    size_t capacity = 0;
    if (compression_get(args, "OO!O&:compress_bound", &c, NULL))
        return NULL;
    if (!core_call_begin(&c.run, &call)) {
        const zt_status status = zt_compress_bound(call.context, &c.in.array, &c.params, &capacity);
        if (status)
            core_raise(&call, status);
        core_call_end(&call);
    }
    core_array_release(&c.in);
    return PyErr_Occurred() ? NULL : PyLong_FromSize_t(capacity);
}

/* What decompress and decompress_box have in common; a NULL lo stands for the whole array. */
static PyObject *decompress(PyObject *data, PyObject *object, PyObject *lo, PyObject *hi,
                            const struct core_run *run)
{
    Py_buffer view;
    struct core_array out;
    struct core_call call;
    zt_box box;
    zt_status status = ZT_OK;
    bool is_done = false;
    if (core_bytes_get(data, false, &view))
        return NULL;
    if (core_array_get(object, true, &out)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    if ((!lo || !core_box_get(lo, hi, out.array.rank, &box)) && !core_call_begin(run, &call)) {
        Py_BEGIN_ALLOW_THREADS status =
            lo ? zt_decompress_box(call.context, view.buf, (size_t)view.len, &box, &out.array)
               : zt_decompress(call.context, view.buf, (size_t)view.len, &out.array);
        Py_END_ALLOW_THREADS if (status) core_raise(&call, status);
        is_done = !status;
        core_call_end(&call);
    }
    core_array_release(&out);
    PyBuffer_Release(&view);
    if (!is_done)
        return NULL;
    Py_RETURN_NONE;
}

/* decompress(data, out, run) */
static PyObject *core_decompress(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *out;
    struct core_run run;
    if (!PyArg_ParseTuple(args, "OOO&:decompress", &data, &out, core_run_get, &run))
        return NULL;
    return decompress(data, out, NULL, NULL, &run);
}

/* decompress_box(data, lo, hi, out, run) */
static PyObject *core_decompress_box(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *lo, *hi, *out;
    struct core_run run;
    if (!PyArg_ParseTuple(args, "OO!O!OO&:decompress_box", &data, &PyTuple_Type, &lo, &PyTuple_Type,
                          &hi, &out, core_run_get, &run))
        return NULL;
    return decompress(data, out, lo, hi, &run);
}

/* inspect(data, run = 1) -> dict */
static PyObject *core_inspect(PyObject *module, PyObject *args)
{
    (void)module;
    struct core_run run = {.threads = 1};
    PyObject *data;
    Py_buffer view;
    struct core_call call;
    zt_info info;
    PyObject *dict = NULL;
    if (!PyArg_ParseTuple(args, "O|O&:inspect", &data, core_run_get, &run) ||
        core_bytes_get(data, false, &view))
        return NULL;
    if (!core_call_begin(&run, &call)) {
        zt_info_init(&info, sizeof info);
        const zt_status status = zt_inspect(call.context, view.buf, (size_t)view.len, &info);
        if (status)
            core_raise(&call, status);
        else
            dict = core_info_dict(&info);
        core_call_end(&call);
    }
    PyBuffer_Release(&view);
    return dict;
}

/* compare(original, reconstructed, abs_bound, run) -> dict */
static PyObject *core_compare(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *first, *second, *dict = NULL;
    double abs_bound;
    struct core_run run;
    struct core_array a, b;
    struct core_call call;
    if (!PyArg_ParseTuple(args, "OOdO&:compare", &first, &second, &abs_bound, core_run_get, &run) ||
        core_array_get(first, false, &a))
        return NULL;
    if (core_array_get(second, false, &b)) {
        core_array_release(&a);
        return NULL;
    }
    if (!core_call_begin(&run, &call)) {
        zt_quality q;
        zt_status status;
        zt_quality_init(&q, sizeof q);
        q.abs_bound = abs_bound;
        Py_BEGIN_ALLOW_THREADS status = zt_compare(call.context, &a.array, &b.array, &q);
        Py_END_ALLOW_THREADS if (status) core_raise(&call, status);
        else dict = Py_BuildValue(
            "{s:K,s:K,s:K,s:K,s:K,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "values",
            (unsigned long long)q.values, "finite_values", (unsigned long long)q.finite_values,
            "special_changed", (unsigned long long)q.special_changed, "different_values",
            (unsigned long long)q.different_values, "beyond_bound",
            (unsigned long long)q.beyond_bound, "min", q.min, "max", q.max, "max_abs_error",
            q.max_abs_error, "max_pwrel_error", q.max_pwrel_error, "rmse", zt_quality_rmse(&q),
            "mae", zt_quality_mae(&q), "psnr", zt_quality_psnr(&q));
        core_call_end(&call);
    }
    core_array_release(&b);
    core_array_release(&a);
    return dict;
}

PyMethodDef core_memory_methods[] = {
    {"compress", core_compress, METH_VARARGS, NULL},
    {"compress_into", core_compress_into, METH_VARARGS, NULL},
    {"compress_bound", core_compress_bound, METH_VARARGS, NULL},
    {"decompress", core_decompress, METH_VARARGS, NULL},
    {"decompress_box", core_decompress_box, METH_VARARGS, NULL},
    {"inspect", core_inspect, METH_VARARGS, NULL},
    {"set_limits", core_set_limits, METH_VARARGS, NULL},
    {"set_spare", core_set_spare, METH_O, NULL},
    {"compare", core_compare, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
