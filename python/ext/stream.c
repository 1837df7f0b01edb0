/* stream.c: the types Reader and Writer: files and whatever else Python can read or write, through
 * callables. Neither may be used by two threads at once; the package sees to that, and an object
 * that is in use already raises RuntimeError. */
#include "core.h"
#include "ztile_expert.h"

/* What both types hold. The library's reader or writer is made in the initializer, once. */
struct stream {
    PyObject_HEAD PyObject
        *callable;    /* read(offset, memoryview) -> bytes read, or write(memoryview) */
    PyObject *params; /* a writer's: name and units point into it */
    struct core_call call;
    zt_reader *reader;
    zt_writer *writer;
    zt_array whole;
    bool is_busy;
};

/* Call 'callable' with memory as its last argument, which it must not keep. Returns its result, or
 * NULL with an exception set. */
static PyObject *call_with_memory(struct stream *self, PyObject *offset, char *memory, size_t bytes,
                                  int flags)
{
    PyObject *view = PyMemoryView_FromMemory(memory, (Py_ssize_t)bytes, flags);
    if (!view)
        return NULL;
    PyObject *result = offset ? PyObject_CallFunctionObjArgs(self->callable, offset, view, NULL)
                              : PyObject_CallFunctionObjArgs(self->callable, view, NULL);
    /* the memory is the library's: a view that was kept must not reach it later */
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *released = PyObject_CallMethod(view, "release", NULL);
    if (!released)
        PyErr_Clear();
    Py_XDECREF(released);
    PyErr_Restore(type, value, trace);
    Py_DECREF(view);
    return result;
}

static int on_read(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *at = PyLong_FromUnsignedLongLong(offset), *result = NULL;
    if (at)
        result = call_with_memory(user, at, buffer, bytes, PyBUF_WRITE);
    *got_bytes = result ? PyLong_AsSize_t(result) : 0;
    Py_XDECREF(result);
    Py_XDECREF(at);
    const int failed = PyErr_Occurred() != NULL;
    PyGILState_Release(state);
    return failed;
}

static int on_write(void *user, const void *data, size_t data_bytes)
{
    union {
        const void *in;
        char *out;
    } memory = {data};
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject *result = call_with_memory(user, NULL, memory.out, data_bytes, PyBUF_READ);
    Py_XDECREF(result);
    PyGILState_Release(state);
    return result == NULL;
}

/* Mark an open object as in use. */
static bool enter(struct stream *self)
{
    if (self->is_busy)
        PyErr_SetString(PyExc_RuntimeError, "this object is in use by another thread");
    else if (!self->reader && !self->writer)
        PyErr_SetString(PyExc_ValueError, "this file is closed");
    else
        self->is_busy = true;
    return self->is_busy && !PyErr_Occurred();
}

static PyObject *leave(struct stream *self, zt_status status)
{
    self->is_busy = false;
    if (status) {
        core_raise(&self->call, status);
        return NULL;
    }
    Py_RETURN_NONE;
}

static void drop(struct stream *self)
{
    zt_reader_close(self->reader);
    zt_writer_free(self->writer);
    self->reader = NULL;
    self->writer = NULL;
    core_call_end(&self->call);
}

static int stream_traverse(PyObject *object, visitproc visit, void *arg)
{
    struct stream *self = (struct stream *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->callable);
    Py_VISIT(self->params);
    return 0;
}

static int stream_clear(PyObject *object)
{
    struct stream *self = (struct stream *)object;
    Py_CLEAR(self->callable);
    Py_CLEAR(self->params);
    return 0;
}

static void stream_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    drop((struct stream *)object);
    stream_clear(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *stream_close(PyObject *object, PyObject *none)
{
    struct stream *self = (struct stream *)object;
    (void)none;
    if (self->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "this object is in use by another thread");
        return NULL;
    }
    drop(self);
    Py_RETURN_NONE;
}

/* ---- Reader(read, source_bytes, run) ------------------------------------------------------- */

static int reader_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    struct stream *self = (struct stream *)object;
    PyObject *callable;
    unsigned long long source_bytes;
    struct core_run run;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OKO&:Reader", &callable, &source_bytes, core_run_get, &run))
        return -1;
    if (self->callable) {
        PyErr_SetString(PyExc_RuntimeError, "a Reader is initialized once");
        return -1;
    }
    if (core_call_begin(&run, &self->call))
        return -1;
    Py_INCREF(callable);
    self->callable = callable;
    const zt_source source = {.read = on_read, .user = self, .source_bytes = source_bytes};
    zt_status status;
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS status = zt_reader_open(self->call.context, &source, &self->reader);
    Py_END_ALLOW_THREADS self->is_busy = false;
    if (status)
        core_raise(&self->call, status);
    return status ? -1 : 0;
}

static PyObject *reader_info(PyObject *object, PyObject *none)
{
    struct stream *self = (struct stream *)object;
    zt_info info;
    zt_status status;
    (void)none;
    if (!enter(self))
        return NULL;
    zt_info_init(&info, sizeof info);
    Py_BEGIN_ALLOW_THREADS status = zt_reader_info(self->reader, &info);
    Py_END_ALLOW_THREADS PyObject *result = leave(self, status);
    if (result) {
        Py_DECREF(result);
        result = core_info_dict(&info);
    }
    return result;
}

/* read_box(lo, hi, out) */
static PyObject *reader_read_box(PyObject *object, PyObject *args)
{
    struct stream *self = (struct stream *)object;
    PyObject *lo, *hi, *target, *result = NULL;
    struct core_array out;
    zt_box box;
    zt_status status;
    if (!PyArg_ParseTuple(args, "O!O!O:read_box", &PyTuple_Type, &lo, &PyTuple_Type, &hi,
                          &target) ||
        core_array_get(target, true, &out))
        return NULL;
    if (!core_box_get(lo, hi, out.array.rank, &box) && enter(self)) {
        Py_BEGIN_ALLOW_THREADS status = zt_reader_read_box(self->reader, &box, &out.array);
        Py_END_ALLOW_THREADS result = leave(self, status);
    }
    core_array_release(&out);
    return result;
}

static PyObject *reader_check(PyObject *object, PyObject *none)
{
    struct stream *self = (struct stream *)object;
    zt_status status;
    (void)none;
    if (!enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = zt_reader_check(self->reader);
    Py_END_ALLOW_THREADS return leave(self, status);
}

/* ---- Writer(write, type, shape, params, run) ----------------------------------------------- */

static int writer_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    struct stream *self = (struct stream *)object;
    PyObject *callable, *shape, *tuple;
    unsigned type;
    struct core_run run;
    zt_params params;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OIO!O!O&:Writer", &callable, &type, &PyTuple_Type, &shape,
                          &PyTuple_Type, &tuple, core_run_get, &run))
        return -1;
    if (self->callable) {
        PyErr_SetString(PyExc_RuntimeError, "a Writer is initialized once");
        return -1;
    }
    if (core_whole_get(type, shape, &self->whole) || core_params_get(tuple, &params) ||
        core_call_begin(&run, &self->call))
        return -1;
    Py_INCREF(callable);
    self->callable = callable;
    Py_INCREF(tuple);
    self->params = tuple;
    const zt_sink sink = {.write = on_write, .user = self};
    zt_status status;
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS status =
        zt_writer_open(self->call.context, &sink, &self->whole, &params, &self->writer);
    Py_END_ALLOW_THREADS self->is_busy = false;
    if (status)
        core_raise(&self->call, status);
    return status ? -1 : 0;
}

static PyObject *writer_slab_extent(PyObject *object, PyObject *none)
{
    struct stream *self = (struct stream *)object;
    (void)none;
    if (!enter(self))
        return NULL;
    self->is_busy = false;
    return PyLong_FromUnsignedLongLong(zt_writer_slab_extent(self->writer));
}

static PyObject *writer_put(PyObject *object, PyObject *slab)
{
    struct stream *self = (struct stream *)object;
    struct core_array in;
    zt_status status;
    if (core_array_get(slab, false, &in))
        return NULL;
    PyObject *result = NULL;
    if (enter(self)) {
        Py_BEGIN_ALLOW_THREADS status = zt_writer_put(self->writer, &in.array);
        Py_END_ALLOW_THREADS result = leave(self, status);
    }
    core_array_release(&in);
    return result;
}

static PyObject *writer_finish(PyObject *object, PyObject *none)
{
    struct stream *self = (struct stream *)object;
    zt_status status;
    (void)none;
    if (!enter(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS status = zt_writer_close(self->writer);
    Py_END_ALLOW_THREADS return leave(self, status);
}

/* ---- the types ----------------------------------------------------------------------------- */

static PyMethodDef reader_methods[] = {
    {"info", reader_info, METH_NOARGS, NULL},
    {"read_box", reader_read_box, METH_VARARGS, NULL},
    {"check", reader_check, METH_NOARGS, NULL},
    {"close", stream_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef writer_methods[] = {
    {"slab_extent", writer_slab_extent, METH_NOARGS, NULL},
    {"put", writer_put, METH_O, NULL},
    {"finish", writer_finish, METH_NOARGS, NULL},
    {"close", stream_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot reader_slots[] = {
    {Py_tp_init, reader_init},   {Py_tp_dealloc, stream_dealloc}, {Py_tp_traverse, stream_traverse},
    {Py_tp_clear, stream_clear}, {Py_tp_methods, reader_methods}, {0, NULL},
};

static PyType_Slot writer_slots[] = {
    {Py_tp_init, writer_init},   {Py_tp_dealloc, stream_dealloc}, {Py_tp_traverse, stream_traverse},
    {Py_tp_clear, stream_clear}, {Py_tp_methods, writer_methods}, {0, NULL},
};

static PyType_Spec reader_spec = {"ztile._core.Reader", sizeof(struct stream), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, reader_slots};
static PyType_Spec writer_spec = {"ztile._core.Writer", sizeof(struct stream), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, writer_slots};

int core_stream_add_types(PyObject *module)
{
    const int status = core_add_type(module, &reader_spec, "Reader", NULL);
    return status ? status : core_add_type(module, &writer_spec, "Writer", NULL);
}
