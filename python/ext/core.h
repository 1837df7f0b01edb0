/* core.h: what the files of the extension module ztile._core share. It holds as little as it can:
 * arrays come in through the buffer protocol or as Tensors, results go out as bytes, numbers and
 * tuples; names, defaults and NumPy are the package's business (src/ztile). */
#ifndef ZTILE_PYTHON_CORE_H
#define ZTILE_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "ztile_cuda.h"
#include "ztile_zfp.h"

#include <stdbool.h>

/* An array of the caller's, held until core_array_release. */
struct core_array {
    Py_buffer view;
    zt_array array;
};

/* A call in progress: its context, with the threads it was given, and how to interrupt it. */
struct core_call {
    zt_context *context;
    double next_look;    /* seconds: when signals are looked at next */
    bool is_interrupted; /* a Python exception is set */
};

/* Where a call runs: on threads, or on a GPU. */
struct core_run {
    unsigned threads; /* 1 is the calling thread alone; 0: on the GPU */
    zt_cuda cuda;
};

/* A converter for "O&": a number of threads, or (device, stream). Returns 1, or 0 with an exception
 * set. */
int core_run_get(PyObject *object, void *run);

/* All others return 0, or -1 with a Python exception set. */

/* object: a buffer of float32, float64, int32 or int64 in native byte order, any strides; or a
 * Tensor. */
int core_array_get(PyObject *object, bool is_written, struct core_array *array);
void core_array_release(struct core_array *array);

/* Contiguous bytes, also a Tensor's; released with PyBuffer_Release. */
int core_bytes_get(PyObject *object, bool is_written, Py_buffer *view);

/* tensor.c: what those two do for a Tensor, which the caller keeps. */
bool core_is_tensor(PyObject *object);
int core_tensor_array(PyObject *object, bool is_written, zt_array *array);
int core_tensor_bytes(PyObject *object, bool is_written, Py_buffer *view);

/* Cut bytes that nobody else has seen to their first n; *bytes is NULL where that fails. */
void core_bytes_shrink(PyObject **bytes, Py_ssize_t n);

/* shape: a tuple of 1 to 4 lengths; the first may be None, for ZT_UNKNOWN. */
int core_whole_get(unsigned type, PyObject *shape, zt_array *whole);

/* lo and hi: tuples of as many numbers as 'rank'. */
int core_box_get(PyObject *lo, PyObject *hi, uint32_t rank, zt_box *box);

/* params: the tuple that of_type in _params.py makes. name and units point into it. */
int core_params_get(PyObject *tuple, zt_params *params);

/* set_limits(memory, output): of all calls that begin from now on; 0: none. */
PyObject *core_set_limits(PyObject *module, PyObject *arguments);

int core_call_begin(const struct core_run *run, struct core_call *call);
void core_call_end(struct core_call *call);

/* Raise what belongs to a status: the exception that is set already (an interruption, a failed
 * read or write), or one of _errors.py with the context's sentence. */
void core_raise(const struct core_call *call, zt_status status);

/* core_raise of what the library cannot do with a GPU. */
void core_raise_without_gpu(const struct core_call *call, zt_status status);

/* Make an exception of _errors.py the current one. */
void core_raise_sentence(zt_status status, const char *sentence);

PyObject *core_info_dict(const zt_info *info);
PyObject *core_shape_tuple(const uint64_t *shape, uint32_t rank);

/* Compress into bytes, as a bare stream where zfp is not NULL; ends the call, releases the array.
 */
PyObject *core_compress_end(struct core_call *call, struct core_array *in, const zt_params *params,
                            const zt_zfp *zfp);

/* set_spare(bytes): of blocks, that are kept for later results. */
PyObject *core_set_spare(PyObject *module, PyObject *bytes);

/* Make a type and add it to the module; *type gets a reference to it. type: NULL is allowed. */
int core_add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **type);

/* memory.c, zfp.c, entropy.c, stream.c, block.c: the module's functions and types. */
extern PyMethodDef core_memory_methods[];
extern PyMethodDef core_zfp_methods[];
extern PyMethodDef core_entropy_methods[];
extern PyMethodDef core_tensor_functions[];
int core_tensor_add_type(PyObject *module);
int core_stream_add_types(PyObject *module);
int core_block_add_type(PyObject *module);

#endif
