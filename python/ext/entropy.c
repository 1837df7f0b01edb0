/* entropy.c: blocks of bytes by Huffman. */
#include "core.h"
#include "ztile_huffman.h"

#include <string.h>

/* entropy_encode(data, symbols, k, letters, is_last, magnitude, reduction, run) -> bytes.
 * magnitude 0: codes are written part by part; else by merges. */
static PyObject *core_entropy_encode(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *result = NULL;
    Py_buffer view, letters;
    unsigned symbols, k, magnitude, reduction;
    struct core_run run;
    int is_last;
    zt_entropy entropy;
    struct core_call call;
    if (!PyArg_ParseTuple(args, "OIIy*pIIO&:entropy_encode", &data, &symbols, &k, &letters,
                          &is_last, &magnitude, &reduction, core_run_get, &run))
        return NULL;
    zt_entropy_init(&entropy, sizeof entropy);
    entropy.symbols = symbols;
    entropy.k = k;
    entropy.is_last = (uint32_t)is_last;
    entropy.magnitude = magnitude;
    entropy.reduction = reduction;
    entropy.letter_count = (uint32_t)(letters.len <= 256 ? letters.len : 257);
    memcpy(entropy.letters, letters.buf, (size_t)(letters.len <= 256 ? letters.len : 256));
    PyBuffer_Release(&letters);
    if (core_bytes_get(data, false, &view))
        return NULL;
    if (core_call_begin(&run, &call)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    size_t capacity = 0, bytes = 0;
    zt_status status = zt_entropy_bound((uint64_t)view.len, &capacity);
    if (!status)
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)capacity);
    if (result) {
        char *const out = PyBytes_AsString(result);
        Py_BEGIN_ALLOW_THREADS status = zt_entropy_encode(
            call.context, view.buf, (uint64_t)view.len, &entropy, out, capacity, &bytes);
        Py_END_ALLOW_THREADS
    }
    if (status)
        core_raise(&call, status);
    core_call_end(&call);
    PyBuffer_Release(&view);
    if (status)
        Py_CLEAR(result);
    if (result)
        core_bytes_shrink(&result, (Py_ssize_t)bytes);
    return result;
}

/* entropy_inspect(data) -> (symbols, k, letters, is_last, bytes, block_bytes) */
static PyObject *core_entropy_inspect(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *result = NULL;
    Py_buffer view;
    zt_entropy entropy;
    struct core_call call;
    uint64_t bytes, block_bytes;
    if (!PyArg_ParseTuple(args, "O:entropy_inspect", &data) || core_bytes_get(data, false, &view))
        return NULL;
    if (!core_call_begin(&(struct core_run){.threads = 1}, &call)) {
        zt_entropy_init(&entropy, sizeof entropy);
        const zt_status status = zt_entropy_inspect(call.context, view.buf, (size_t)view.len,
                                                    &entropy, &bytes, &block_bytes);
        if (status)
            core_raise(&call, status);
        else
            result = Py_BuildValue("IIy#NKK", entropy.symbols, entropy.k,
                                   (const char *)entropy.letters, (Py_ssize_t)entropy.letter_count,
                                   PyBool_FromLong(entropy.is_last != 0), (unsigned long long)bytes,
                                   (unsigned long long)block_bytes);
        core_call_end(&call);
    }
    PyBuffer_Release(&view);
    return result;
}

/* entropy_decode(data, bytes, run) -> bytes, of one block */
static PyObject *core_entropy_decode(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *result = NULL;
    Py_buffer view;
    unsigned long long bytes;
    struct core_run run;
    struct core_call call;
    if (!PyArg_ParseTuple(args, "OKO&:entropy_decode", &data, &bytes, core_run_get, &run) ||
        core_bytes_get(data, false, &view))
        return NULL;
    if (bytes <= ZT_ENTROPY_BLOCK_BYTES)
        result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    else
        core_raise_sentence(ZT_BAD_ARG, "a block has no more than 16 MiB");
    if (result && core_call_begin(&run, &call)) {
        Py_CLEAR(result);
    } else if (result) {
        char *const out = PyBytes_AsString(result);
        zt_status status;
        Py_BEGIN_ALLOW_THREADS status =
            zt_entropy_decode(call.context, view.buf, (size_t)view.len, out, bytes);
        Py_END_ALLOW_THREADS if (status) core_raise(&call, status);
        core_call_end(&call);
        if (status)
            Py_CLEAR(result);
    }
    PyBuffer_Release(&view);
    return result;
}

PyMethodDef core_entropy_methods[] = {
    {"entropy_encode", core_entropy_encode, METH_VARARGS, NULL},
    {"entropy_inspect", core_entropy_inspect, METH_VARARGS, NULL},
    {"entropy_decode", core_entropy_decode, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
