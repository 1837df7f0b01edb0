/* zfp.c: bare zfp streams. */
#include "core.h"

/* A zt_zfp from what the package gives: a mode of zfp's by number (zt_zfp_mode), its value, the
 * four expert numbers, and word bits and flags. */
static int get_zfp(PyObject *tuple, uint32_t type, uint32_t rank, zt_zfp *zfp)
{
    unsigned mode, minbits, maxbits, maxprec, word_bits, flags;
    int minexp;
    double value;
    if (!PyArg_ParseTuple(tuple, "IdIIIiII:zfp", &mode, &value, &minbits, &maxbits, &maxprec,
                          &minexp, &word_bits, &flags))
        return -1;
    zt_zfp_init(zfp, sizeof *zfp);
    zfp->word_bits = word_bits;
    zfp->flags = flags;
    zt_status status = ZT_BAD_ARG;
    switch (mode) {
    case ZT_ZFP_INVALID: /* the stream's header says it */ return 0;
    case ZT_ZFP_EXPERT: status = zt_zfp_set_expert(zfp, minbits, maxbits, maxprec, minexp); break;
    case ZT_ZFP_FIXED_RATE:
        status = zt_zfp_set_rate(zfp, value, (zt_type)type, rank, 0, NULL);
        break;
    case ZT_ZFP_FIXED_PRECISION:
        status = value >= 1 && value <= 64 ? zt_zfp_set_precision(zfp, (uint32_t)value, NULL)
                                           : ZT_BAD_ARG;
        break;
    case ZT_ZFP_FIXED_ACCURACY: status = zt_zfp_set_accuracy(zfp, value, NULL); break;
    case ZT_ZFP_REVERSIBLE: status = zt_zfp_set_reversible(zfp); break;
    default: break;
    }
    if (status)
        core_raise_sentence(status,
                            "these are no parameters of a zfp stream: a rate is above 0, "
                            "a precision 1 to 64, a tolerance finite and not negative, and of "
                            "expert parameters minbits <= maxbits and maxprec 1 to 64");
    return status ? -1 : 0;
}

/* zfp_compress(array, zfp, run) -> bytes */
static PyObject *core_zfp_compress(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *object, *tuple;
    struct core_run run;
    zt_zfp zfp;
    struct core_array in;
    struct core_call call;
    if (!PyArg_ParseTuple(args, "OO!O&:zfp_compress", &object, &PyTuple_Type, &tuple, core_run_get,
                          &run) ||
        core_array_get(object, false, &in))
        return NULL;
    if (get_zfp(tuple, in.array.type, in.array.rank, &zfp) || core_call_begin(&run, &call)) {
        core_array_release(&in);
        return NULL;
    }
    return core_compress_end(&call, &in, NULL, &zfp);
}

/* zfp_decompress(data, zfp, out, run) */
static PyObject *core_zfp_decompress(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *tuple, *object;
    struct core_run run;
    zt_zfp zfp;
    Py_buffer view;
    struct core_array out;
    struct core_call call;
    bool is_done = false;
    if (!PyArg_ParseTuple(args, "OO!OO&:zfp_decompress", &data, &PyTuple_Type, &tuple, &object,
                          core_run_get, &run) ||
        core_bytes_get(data, false, &view))
        return NULL;
    if (core_array_get(object, true, &out)) {
        PyBuffer_Release(&view);
        return NULL;
    }
    if (!get_zfp(tuple, out.array.type, out.array.rank, &zfp) && !core_call_begin(&run, &call)) {
        zt_status status;
        Py_BEGIN_ALLOW_THREADS status =
            zt_zfp_decompress(call.context, view.buf, (size_t)view.len, &zfp, &out.array, NULL);
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

/* zfp_header(data, word_bits) -> (type, shape, mode, (minbits, maxbits, maxprec, minexp)) */
static PyObject *core_zfp_header(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *data, *result = NULL;
    unsigned word_bits;
    Py_buffer view;
    struct core_call call;
    zt_zfp zfp;
    zt_array array;
    if (!PyArg_ParseTuple(args, "OI:zfp_header", &data, &word_bits) ||
        core_bytes_get(data, false, &view))
        return NULL;
    if (!core_call_begin(&(struct core_run){.threads = 1}, &call)) {
        uint32_t header_bits;
        zt_zfp_init(&zfp, sizeof zfp);
        zfp.word_bits = word_bits;
        const zt_status status = zt_zfp_read_header(call.context, view.buf, (size_t)view.len, &zfp,
                                                    &array, &header_bits);
        if (status)
            core_raise(&call, status);
        else
            result = Py_BuildValue(
                "INI(IIIi)", array.type, core_shape_tuple(array.shape, array.rank),
                (unsigned)zt_zfp_mode_of(&zfp), zfp.minbits, zfp.maxbits, zfp.maxprec, zfp.minexp);
        core_call_end(&call);
    }
    PyBuffer_Release(&view);
    return result;
}

PyMethodDef core_zfp_methods[] = {
    {"zfp_compress", core_zfp_compress, METH_VARARGS, NULL},
    {"zfp_decompress", core_zfp_decompress, METH_VARARGS, NULL},
    {"zfp_header", core_zfp_header, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
