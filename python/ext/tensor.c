/* tensor.c: the type Tensor: an array in the memory of another library or of a GPU, with what keeps
 * that memory alive. Tensors come from DLPack capsules, from addresses (__cuda_array_interface__),
 * and from the library, which allocates memory of a GPU for results. They go out as DLPack
 * capsules, and through the buffer protocol where their memory is the host's.
 *
 * DLPack is a C structure with a function that frees it, in a capsule of a fixed name:
 * https://dmlc.github.io/dlpack/latest/ */
#include "core.h"

#include <string.h>

/* ---- DLPack's structures ------------------------------------------------------------------- */

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2 };
enum { DL_READ_ONLY = 1 };

struct dl_tensor {
    void *data;
    int32_t device_type, device;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL: C order */
    uint64_t byte_offset;
};

struct dl_managed { /* "dltensor" */
    struct dl_tensor tensor;
    void *manager;
    void (*deleter)(struct dl_managed *self);
};

struct dl_versioned { /* "dltensor_versioned" */
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    struct dl_tensor tensor;
};

/* ---- the type ------------------------------------------------------------------------------ */

enum { MOST_AXES = 32 };

struct tensor {
    PyObject_HEAD PyObject *owner; /* kept while the tensor is; or NULL */
    struct dl_managed *managed;    /* what the memory belongs to, or NULL */
    struct dl_versioned *versioned;
    void *own; /* memory of zt_cuda_allocate, or NULL */
    char *data;
    int32_t device_type, device;
    unsigned code, bits;
    int ndim;
    int64_t shape[MOST_AXES], strides[MOST_AXES]; /* strides in elements */
    bool is_read_only;
    Py_ssize_t view_shape[MOST_AXES], view_strides[MOST_AXES];
    char format[2];
};

static PyTypeObject *tensor_type;

static struct tensor *tensor_new(void)
{
    return (struct tensor *)PyType_GenericAlloc(tensor_type, 0);
}

static void tensor_dealloc(PyObject *object)
{
    struct tensor *t = (struct tensor *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace); /* what frees a tensor may call Python */
    if (t->managed && t->managed->deleter)
        t->managed->deleter(t->managed);
    if (t->versioned && t->versioned->deleter)
        t->versioned->deleter(t->versioned);
    zt_cuda_free(t->device, t->own);
    Py_XDECREF(t->owner);
    PyErr_Restore(kind, value, trace);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static bool is_on_host(const struct tensor *t)
{
    return t->device_type == DL_CPU || t->device_type == DL_CUDA_HOST;
}

/* Set strides of C order. */
static void set_c_order(struct tensor *t)
{
    int64_t step = 1;
    for (int i = t->ndim; i-- > 0;) {
        t->strides[i] = step;
        step *= t->shape[i] > 1 ? t->shape[i] : 1;
    }
}

static bool is_c_order(const struct tensor *t)
{
    int64_t step = 1;
    bool is = true;
    for (int i = t->ndim; i-- > 0; step *= t->shape[i])
        is = is && (t->shape[i] == 1 || t->strides[i] == step);
    for (int i = 0; i < t->ndim; i++)
        is = is || t->shape[i] == 0;
    return is;
}

static uint64_t bytes_of(const struct tensor *t)
{
    uint64_t bytes = t->bits / 8;
    for (int i = 0; i < t->ndim; i++)
        bytes *= (uint64_t)t->shape[i];
    return bytes;
}

/* ---- from the library ---------------------------------------------------------------------- */

/* The type of the library's arrays that a tensor has; 0: none. */
static uint32_t type_of(const struct tensor *t)
{
    const bool is_wide = t->bits == 64;
    if (t->bits != 32 && t->bits != 64)
        return 0;
    return t->code == DL_FLOAT ? (is_wide ? ZT_F64 : ZT_F32)
           : t->code == DL_INT ? (is_wide ? ZT_I64 : ZT_I32)
                               : 0;
}

bool core_is_tensor(PyObject *object)
{
    return Py_TYPE(object) == tensor_type;
}

int core_tensor_array(PyObject *object, bool is_written, zt_array *array)
{
    const struct tensor *t = (const struct tensor *)object;
    const uint32_t type = type_of(t);
    uint64_t shape[ZT_MAX_RANK];
    if (!type || t->ndim < 1 || t->ndim > ZT_MAX_RANK || (is_written && t->is_read_only)) {
        PyErr_SetString(PyExc_ValueError, "this tensor is no array of the library's");
        return -1;
    }
    for (int i = 0; i < t->ndim; i++)
        shape[i] = (uint64_t)t->shape[i];
    *array = zt_array_nd(t->data, (zt_type)type, (uint32_t)t->ndim, shape);
    memcpy(array->stride, t->strides, (size_t)t->ndim * sizeof *t->strides);
    return 0;
}

int core_tensor_bytes(PyObject *object, bool is_written, Py_buffer *view)
{
    const struct tensor *t = (const struct tensor *)object;
    memset(view, 0, sizeof *view);
    if (!is_c_order(t) || (is_written && t->is_read_only)) {
        PyErr_SetString(PyExc_BufferError, "these bytes are not in one piece, or read-only");
        return -1;
    }
    view->buf = t->data;
    view->len = (Py_ssize_t)bytes_of(t);
    return 0;
}

/* ---- making tensors ------------------------------------------------------------------------ */

/* A tuple of integers into list; returns how many, or -1. */
static int get_list(PyObject *tuple, int64_t *list)
{
    const Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : MOST_AXES + 1;
    if (n > MOST_AXES) {
        PyErr_Format(PyExc_ValueError, "not a tuple of at most %d numbers", MOST_AXES);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        list[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    return PyErr_Occurred() ? -1 : (int)n;
}

/* tensor(owner, address, code, bits, shape, strides or None, device_type, device, is_read_only) */
static PyObject *tensor_at(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *owner, *shape, *strides;
    unsigned long long address;
    unsigned code, bits;
    int device_type, device, is_read_only;
    if (!PyArg_ParseTuple(args, "OKIIOOiip:tensor", &owner, &address, &code, &bits, &shape,
                          &strides, &device_type, &device, &is_read_only))
        return NULL;
    struct tensor *t = tensor_new();
    if (!t)
        return NULL;
    t->data = (char *)(uintptr_t)address;
    t->code = code;
    t->bits = bits;
    t->device_type = device_type;
    t->device = device;
    t->is_read_only = is_read_only;
    t->ndim = get_list(shape, t->shape);
    int steps = t->ndim;
    if (strides == Py_None && t->ndim >= 0)
        set_c_order(t);
    else if (t->ndim >= 0)
        steps = get_list(strides, t->strides);
    if (!PyErr_Occurred() && steps != t->ndim)
        PyErr_SetString(PyExc_ValueError, "there are as many strides as axes");
    if (PyErr_Occurred()) {
        Py_DECREF(t);
        return NULL;
    }
    Py_INCREF(owner);
    t->owner = owner;
    return (PyObject *)t;
}

/* tensor_allocate(code, bits, shape, run): new memory of a GPU, C order. */
static PyObject *tensor_allocate(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *shape;
    unsigned code, bits;
    struct core_run run;
    struct core_call call;
    if (!PyArg_ParseTuple(args, "IIOO&:tensor_allocate", &code, &bits, &shape, core_run_get, &run))
        return NULL;
    struct tensor *t = tensor_new();
    if (!t)
        return NULL;
    t->code = code;
    t->bits = bits;
    t->device_type = DL_CUDA;
    t->device = run.cuda.device;
    t->ndim = get_list(shape, t->shape);
    if (t->ndim >= 0 && !core_call_begin(&run, &call)) {
        set_c_order(t);
        const zt_status status = zt_cuda_allocate(call.context, (size_t)bytes_of(t), &t->own);
        if (status)
            core_raise(&call, status);
        t->data = t->own;
        core_call_end(&call);
    }
    if (PyErr_Occurred())
        Py_CLEAR(t);
    return (PyObject *)t;
}

/* Copy what a DLPack structure says; false where a tensor cannot hold it. */
static bool read_dlpack(struct tensor *t, const struct dl_tensor *from)
{
    if (from->ndim < 0 || from->ndim > MOST_AXES || from->lanes != 1)
        return false;
    t->data = (char *)from->data + from->byte_offset;
    t->device_type = from->device_type;
    t->device = from->device;
    t->code = from->code;
    t->bits = from->bits;
    t->ndim = from->ndim;
    memcpy(t->shape, from->shape, (size_t)t->ndim * sizeof *t->shape);
    if (from->strides)
        memcpy(t->strides, from->strides, (size_t)t->ndim * sizeof *t->strides);
    else
        set_c_order(t);
    return true;
}

/* tensor_of_dlpack(capsule): takes what is in the capsule. */
static PyObject *tensor_of_dlpack(PyObject *module, PyObject *capsule)
{
    (void)module;
    const bool is_versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    if (!is_versioned && !PyCapsule_IsValid(capsule, "dltensor")) {
        PyErr_SetString(PyExc_BufferError, "__dlpack__ returned no DLPack capsule, or a used one");
        return NULL;
    }
    struct tensor *t = tensor_new();
    if (!t)
        return NULL;
    void *const in =
        PyCapsule_GetPointer(capsule, is_versioned ? "dltensor_versioned" : "dltensor");
    bool is_read;
    if (is_versioned && ((struct dl_versioned *)in)->major != 1) {
        is_read = false;
    } else if (is_versioned) {
        const struct dl_versioned *const from = in;
        is_read = read_dlpack(t, &from->tensor);
        t->is_read_only = (from->flags & DL_READ_ONLY) != 0;
    } else {
        is_read = read_dlpack(t, &((struct dl_managed *)in)->tensor);
    }
    if (!is_read) {
        PyErr_SetString(PyExc_BufferError, "DLPack gives a tensor of vectors, of too many axes, or "
                                           "of a later version than ztile knows");
        Py_DECREF(t);
        return NULL;
    }
    (void)PyCapsule_SetName(capsule, is_versioned ? "used_dltensor_versioned" : "used_dltensor");
    t->versioned = is_versioned ? in : NULL;
    t->managed = is_versioned ? NULL : in;
    return (PyObject *)t;
}

/* ---- to DLPack ----------------------------------------------------------------------------- */

/* What a capsule of ours holds: either structure, and the tensor that it shows. */
struct shown {
    union {
        struct dl_managed managed;
        struct dl_versioned versioned;
    } out;
    struct tensor *tensor;
};

static void free_shown(struct shown *s)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(s->tensor);
    PyMem_Free(s);
    PyGILState_Release(state);
}

static void delete_managed(struct dl_managed *self)
{
    free_shown(self->manager);
}

static void delete_versioned(struct dl_versioned *self)
{
    free_shown(self->manager);
}

/* Of a capsule that nobody took. */
static void drop_capsule(PyObject *capsule)
{
    const bool is_versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    if (is_versioned || PyCapsule_IsValid(capsule, "dltensor")) {
        void *const out =
            PyCapsule_GetPointer(capsule, is_versioned ? "dltensor_versioned" : "dltensor");
        free_shown(is_versioned ? ((struct dl_versioned *)out)->manager
                                : ((struct dl_managed *)out)->manager);
    }
}

/* tensor.dlpack(is_versioned) -> capsule */
static PyObject *tensor_dlpack(PyObject *object, PyObject *is_versioned)
{
    struct tensor *t = (struct tensor *)object;
    const int versioned = PyObject_IsTrue(is_versioned);
    struct shown *s = versioned < 0 ? NULL : PyMem_Malloc(sizeof *s);
    if (!s)
        return versioned < 0 ? NULL : PyErr_NoMemory();
    memset(s, 0, sizeof *s);
    const struct dl_tensor tensor = {.data = t->data,
                                     .device_type = t->device_type,
                                     .device = t->device,
                                     .ndim = t->ndim,
                                     .code = (uint8_t)t->code,
                                     .bits = (uint8_t)t->bits,
                                     .lanes = 1,
                                     .shape = t->shape,
                                     .strides = t->strides};
    if (versioned)
        s->out.versioned = (struct dl_versioned){.major = 1,
                                                 .manager = s,
                                                 .deleter = delete_versioned,
                                                 .flags = t->is_read_only ? DL_READ_ONLY : 0,
                                                 .tensor = tensor};
    else
        s->out.managed =
            (struct dl_managed){.tensor = tensor, .manager = s, .deleter = delete_managed};
    Py_INCREF(object);
    s->tensor = t;
    PyObject *capsule =
        PyCapsule_New(&s->out, versioned ? "dltensor_versioned" : "dltensor", drop_capsule);
    if (!capsule)
        free_shown(s);
    return capsule;
}

/* ---- to the buffer protocol ---------------------------------------------------------------- */

static int tensor_get_buffer(PyObject *object, Py_buffer *view, int flags)
{
    struct tensor *t = (struct tensor *)object;
    static const char *const letters_of[] = {
        [DL_INT] = "bhiq", [DL_UINT] = "BHIQ", [DL_FLOAT] = "?efd"};
    const char *const letters = letters_of[t->code <= DL_FLOAT ? t->code : DL_INT];
    int log = 0;
    while (log < 3 && 8u << log < t->bits)
        log++;
    const bool is_known = t->code <= DL_FLOAT && 8u << log == t->bits && letters[log] != '?';
    if (!is_on_host(t) || !is_known || (flags & PyBUF_STRIDES) != PyBUF_STRIDES ||
        ((flags & PyBUF_WRITABLE) != 0 && t->is_read_only)) {
        PyErr_SetString(PyExc_BufferError, "this tensor cannot be seen as a buffer");
        view->obj = NULL;
        return -1;
    }
    t->format[0] = letters[log];
    for (int i = 0; i < t->ndim; i++) {
        t->view_shape[i] = (Py_ssize_t)t->shape[i];
        t->view_strides[i] = (Py_ssize_t)(t->strides[i] * (t->bits / 8));
    }
    memset(view, 0, sizeof *view);
    view->buf = t->data;
    view->len = (Py_ssize_t)bytes_of(t);
    view->itemsize = (Py_ssize_t)t->bits / 8;
    view->readonly = t->is_read_only;
    view->ndim = t->ndim;
    view->format = t->format;
    view->shape = t->view_shape;
    view->strides = t->view_strides;
    Py_INCREF(object);
    view->obj = object;
    return 0;
}

/* tensor.facts() -> (address, code, bits, shape, strides, device_type, device, is_read_only) */
static PyObject *tensor_facts(PyObject *object, PyObject *none)
{
    const struct tensor *t = (const struct tensor *)object;
    (void)none;
    PyObject *shape = PyTuple_New(t->ndim), *strides = PyTuple_New(t->ndim);
    for (int i = 0; shape && strides && i < t->ndim; i++) {
        (void)PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->shape[i]));
        (void)PyTuple_SetItem(strides, i, PyLong_FromLongLong(t->strides[i]));
    }
    if (PyErr_Occurred() || !shape || !strides) {
        Py_XDECREF(shape);
        Py_XDECREF(strides);
        return NULL;
    }
    return Py_BuildValue("KIINNiiN", (unsigned long long)(uintptr_t)t->data, t->code, t->bits,
                         shape, strides, (int)t->device_type, (int)t->device,
                         PyBool_FromLong(t->is_read_only));
}

/* device_of(address) -> the number of the GPU that it belongs to, or None for the host's memory */
static PyObject *device_of(PyObject *module, PyObject *address)
{
    (void)module;
    const struct core_run run = {.threads = 1};
    const unsigned long long at = PyLong_AsUnsignedLongLong(address);
    struct core_call call;
    int32_t device = 0;
    if ((at == (unsigned long long)-1 && PyErr_Occurred()) || core_call_begin(&run, &call))
        return NULL;
    const zt_status status = zt_cuda_device_of(call.context, (const void *)(uintptr_t)at, &device);
    if (status == ZT_UNSUPPORTED)
        core_raise_without_gpu(&call, status);
    core_call_end(&call);
    if (status == ZT_UNSUPPORTED)
        return NULL;
    if (status)
        Py_RETURN_NONE;
    return PyLong_FromLong(device);
}

PyMethodDef core_tensor_functions[] = {
    {"tensor", tensor_at, METH_VARARGS, NULL},
    {"tensor_allocate", tensor_allocate, METH_VARARGS, NULL},
    {"tensor_of_dlpack", tensor_of_dlpack, METH_O, NULL},
    {"device_of", device_of, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef tensor_methods[] = {
    {"dlpack", tensor_dlpack, METH_O, NULL},
    {"facts", tensor_facts, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot tensor_slots[] = {
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_methods, tensor_methods},
    {Py_bf_getbuffer, tensor_get_buffer},
    {0, NULL},
};

static PyType_Spec tensor_spec = {"ztile._core.Tensor", sizeof(struct tensor), 0,
                                  Py_TPFLAGS_DEFAULT, tensor_slots};

int core_tensor_add_type(PyObject *module)
{
    return core_add_type(module, &tensor_spec, "Tensor", &tensor_type);
}
