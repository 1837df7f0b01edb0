/* convert.c: Python's objects to the library's structs and back. */
#include "core.h"
#include "ztile_sz.h"

#include <string.h>

/* ---- arrays ------------------------------------------------------------------------------- */

/* The type that a buffer's format and item size stand for; 0: none of ours. */
static uint32_t type_of(const char *format, Py_ssize_t itemsize)
{
    const int one = 1;
    const bool is_little = *(const char *)&one == 1;
    if (!format)
        return 0;
    if (*format == '@' || *format == '=' || *format == (is_little ? '<' : '>'))
        format++;
    if (strlen(format) != 1)
        return 0;
    if (strchr("fd", *format))
        return itemsize == 4 ? ZT_F32 : itemsize == 8 ? ZT_F64 : 0;
    if (strchr("ilq", *format))
        return itemsize == 4 ? ZT_I32 : itemsize == 8 ? ZT_I64 : 0;
    return 0;
}

static int check_layout(const Py_buffer *view)
{
    if (view->ndim < 1 || view->ndim > ZT_MAX_RANK) {
        PyErr_Format(PyExc_ValueError, "ztile takes arrays of 1 to 4 dimensions, this one has %d",
                     view->ndim);
        return -1;
    }
    bool is_aligned = (uintptr_t)view->buf % (size_t)view->itemsize == 0;
    for (int i = 0; i < view->ndim; i++)
        is_aligned = is_aligned && view->strides[i] % view->itemsize == 0;
    if (!is_aligned) {
        PyErr_SetString(PyExc_ValueError, "the array's elements are not aligned to their size; "
                                          "give ztile a copy of it");
        return -1;
    }
    return 0;
}

int core_array_get(PyObject *object, bool is_written, struct core_array *array)
{
    Py_buffer *view = &array->view;
    if (core_is_tensor(object)) {
        memset(view, 0, sizeof *view); /* nothing to release */
        return core_tensor_array(object, is_written, &array->array);
    }
    if (PyObject_GetBuffer(object, view, is_written ? PyBUF_RECORDS : PyBUF_RECORDS_RO))
        return -1;
    const uint32_t type = type_of(view->format, view->itemsize);
    if (!type) {
        PyErr_Format(PyExc_TypeError,
                     "ztile takes float32, float64, int32 and int64 in the "
                     "machine's byte order, this buffer has the format '%s'",
                     view->format ? view->format : "B");
    } else if (!check_layout(view)) {
        uint64_t shape[ZT_MAX_RANK];
        for (int i = 0; i < view->ndim; i++)
            shape[i] = (uint64_t)view->shape[i];
        array->array = zt_array_nd(view->buf, (zt_type)type, (uint32_t)view->ndim, shape);
        for (int i = 0; i < view->ndim; i++)
            array->array.stride[i] = (int64_t)(view->strides[i] / view->itemsize);
        return 0;
    }
    PyBuffer_Release(view);
    return -1;
}

void core_array_release(struct core_array *array)
{
    PyBuffer_Release(&array->view);
}

int core_bytes_get(PyObject *object, bool is_written, Py_buffer *view)
{
    if (core_is_tensor(object))
        return core_tensor_bytes(object, is_written, view);
    return PyObject_GetBuffer(object, view, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE);
}

static int get_u64(PyObject *item, uint64_t *value)
{
    const unsigned long long v = PyLong_AsUnsignedLongLong(item);
    if (v == (unsigned long long)-1 && PyErr_Occurred())
        return -1;
    *value = v;
    return 0;
}

int core_whole_get(unsigned type, PyObject *shape, zt_array *whole)
{
    const Py_ssize_t rank = PyTuple_Size(shape);
    if (rank < 1 || rank > ZT_MAX_RANK) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "ztile takes arrays of 1 to 4 dimensions, not %zd",
                         rank);
        return -1;
    }
    uint64_t extent[ZT_MAX_RANK];
    for (Py_ssize_t i = 0; i < rank; i++) {
        PyObject *item = PyTuple_GetItem(shape, i);
        extent[i] = ZT_UNKNOWN;
        if ((i > 0 || item != Py_None) && get_u64(item, &extent[i]))
            return -1;
    }
    *whole = zt_array_nd(NULL, (zt_type)type, (uint32_t)rank, extent);
    return 0;
}

int core_box_get(PyObject *lo, PyObject *hi, uint32_t rank, zt_box *box)
{
    if (PyTuple_Size(lo) != (Py_ssize_t)rank || PyTuple_Size(hi) != (Py_ssize_t)rank) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a box has as many ranges as its array has axes");
        return -1;
    }
    memset(box, 0, sizeof *box);
    for (uint32_t i = 0; i < rank; i++)
        if (get_u64(PyTuple_GetItem(lo, i), &box->lo[i]) ||
            get_u64(PyTuple_GetItem(hi, i), &box->hi[i]))
            return -1;
    return 0;
}

/* ---- parameters --------------------------------------------------------------------------- */

int core_params_get(PyObject *tuple, zt_params *params)
{
    zt_params p;
    unsigned long long slab_bytes;
    unsigned minbits, maxbits, maxprec, word_bits, method, bins, ways;
    int minexp;
    PyObject *fills;
    if (zt_params_init(&p, sizeof p)) {
        PyErr_SetString(PyExc_SystemError, "ztile._core was built with another version of ztile.h");
        return -1;
    }
    if (!PyArg_ParseTuple(tuple, "IIIdIIIiKddIIIIIIIIIzzIdddO!:params", &p.codec, &p.bound.kind,
                          &p.bound.flags, &p.bound.value, &minbits, &maxbits, &maxprec, &minexp,
                          &slab_bytes, &p.range_lo, &p.range_hi, &word_bits, &p.plan, &p.index,
                          &p.index_chunk, &p.index_partition, &p.effort, &method, &bins, &ways,
                          &p.name, &p.units, &p.mean.kind, &p.mean.value, &p.within_lo,
                          &p.within_hi, &PyTuple_Type, &fills))
        return -1;
    if (p.bound.kind == ZT_EXPERT)
        p.bound = zt_expert(minbits, maxbits, maxprec, minexp);
    zt_params_set_zfp_words(&p, word_bits);
    zt_params_set_sz(&p, (zt_sz_method)method, bins);
    zt_params_set_sz_ways(&p, ways);
    if (PyTuple_Size(fills) > ZT_MAX_FILLS) {
        PyErr_Format(PyExc_ValueError, "there are %zd fill values; a file has at most %d",
                     PyTuple_Size(fills), ZT_MAX_FILLS);
        return -1;
    }
    p.fills = (uint32_t)PyTuple_Size(fills);
    for (uint32_t i = 0; i < p.fills; i++)
        if (get_u64(PyTuple_GetItem(fills, (Py_ssize_t)i), &p.fill[i]))
            return -1;
    if (slab_bytes != 0)
        p.slab_bytes = slab_bytes;
    *params = p;
    return 0;
}

/* ---- results ------------------------------------------------------------------------------ */

PyObject *core_shape_tuple(const uint64_t *shape, uint32_t rank)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)rank);
    for (uint32_t i = 0; tuple && i < rank; i++) {
        PyObject *extent = PyLong_FromUnsignedLongLong(shape[i]);
        if (!extent || PyTuple_SetItem(tuple, (Py_ssize_t)i, extent))
            Py_CLEAR(tuple);
    }
    return tuple;
}

PyObject *core_info_dict(const zt_info *info)
{
    zt_zfp zfp;
    zt_sz_info sz = {0};
    int32_t shift = 0;
    (void)zt_zfp_init(&zfp, sizeof zfp);
    (void)zt_info_zfp(info, &zfp, &shift); /* of another codec: left out by _info.py */
    (void)zt_info_sz(info, &sz);
    return Py_BuildValue(
        "{s:I,s:I,s:I,s:N,s:I,s:I,s:d,s:d,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:I,s:I,s:s,s:s,"
        "s:(IIIIii),s:(IIIdI),s:I,s:d,s:d,s:d,s:d}",
        "format_version", info->format_version, "codec", info->codec, "type", info->type, "shape",
        core_shape_tuple(info->shape, info->rank), "index", info->index, "bound_kind",
        info->bound.kind, "bound_value", info->bound.value, "abs_bound", info->abs_bound,
        "raw_bytes", (unsigned long long)info->raw_bytes, "stream_bytes",
        (unsigned long long)info->stream_bytes, "index_bytes",
        (unsigned long long)info->index_bytes, "file_bytes", (unsigned long long)info->file_bytes,
        "frames", (unsigned long long)info->frames, "slab_extent",
        (unsigned long long)info->slab_extent, "exact_values",
        (unsigned long long)info->exact_values, "special_values",
        (unsigned long long)info->special_values, "raw_frames",
        (unsigned long long)info->raw_frames, "index_chunk", info->index_chunk, "index_partition",
        info->index_partition, "name", info->name, "units", info->units, "zfp", zfp.word_bits,
        zfp.minbits, zfp.maxbits, zfp.maxprec, zfp.minexp, shift, "sz", sz.method, sz.effort,
        sz.axes, sz.step, zt_info_sz_ways(info), "mean_kind", info->mean.kind, "mean_value",
        info->mean.value, "mean_error", info->mean_error, "within_lo", info->within_lo, "within_hi",
        info->within_hi);
}
