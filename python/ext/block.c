/* block.c: memory of results. What a large result lay in is kept when the result is gone, for the
 * next ones: new memory has to be cleared by the system, which takes as long as fast codecs do.
 *
 * A Block exports its memory as a buffer, so an array that is made of it, and whatever shares that
 * array's memory, keeps it alive. The interpreter's lock guards all of this. */
#include "core.h"
#include "ztile_store.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE_MOST = 8 };

struct spare {
    void *memory;
    size_t bytes;
};

static struct spare spares[SPARE_MOST]; /* the latest last */
static size_t spares_n, spare_bytes;
static size_t spare_bytes_most = (size_t)512 << 20;

struct block {
    PyObject ob_base;
    struct spare has;
    Py_ssize_t bytes; /* that are asked for */
};

static struct spare remove_spare(size_t i)
{
    const struct spare one = spares[i];
    spares_n--;
    memmove(&spares[i], &spares[i + 1], (spares_n - i) * sizeof *spares);
    spare_bytes -= one.bytes;
    return one;
}

static void drop_spares(size_t most_bytes, size_t most)
{
    while (spares_n > most || spare_bytes > most_bytes)
        free(remove_spare(0).memory);
}

/* Memory for a result: of as many bytes, or of up to twice as many if it was kept. */
static struct spare take(size_t bytes)
{
    for (size_t i = spares_n; i-- > 0;)
        if (spares[i].bytes >= bytes && spares[i].bytes / 2 <= bytes)
            return remove_spare(i);
    struct spare one = {malloc(bytes), bytes};
    if (!one.memory && spares_n > 0) {
        drop_spares(0, 0);
        one.memory = malloc(bytes);
    }
    zt_expect_writes(one.memory, bytes);
    return one;
}

static void give_back(struct spare one)
{
    if (!one.memory || one.bytes > spare_bytes_most) {
        free(one.memory);
        return;
    }
    drop_spares(spare_bytes_most - one.bytes, SPARE_MOST - 1);
    spares[spares_n++] = one;
    spare_bytes += one.bytes;
}

PyObject *core_set_spare(PyObject *module, PyObject *bytes)
{
    (void)module;
    const size_t most = PyLong_AsSize_t(bytes);
    if (PyErr_Occurred())
        return NULL;
    spare_bytes_most = most;
    drop_spares(most, SPARE_MOST);
    Py_RETURN_NONE;
}

/* ---- the type -------------------------------------------------------------------------------- */

static PyObject *block_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    Py_ssize_t bytes;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "n:Block", &bytes))
        return NULL;
    if (bytes < 1) {
        PyErr_SetString(PyExc_ValueError, "a block has at least one byte");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct block *const block = (struct block *)allocate(type, 0);
    if (!block)
        return NULL;
    block->has = take((size_t)bytes);
    block->bytes = bytes;
    if (!block->has.memory) {
        Py_DECREF((PyObject *)block);
        return PyErr_NoMemory();
    }
    return (PyObject *)block;
}

static void block_dealloc(PyObject *self)
{
    PyTypeObject *const type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    give_back(((struct block *)self)->has);
    release(self);
    Py_DECREF((PyObject *)type);
}

static int block_buffer(PyObject *self, Py_buffer *view, int flags)
{
    struct block *const block = (struct block *)self;
    return PyBuffer_FillInfo(view, self, block->has.memory, block->bytes, 0, flags);
}

static PyType_Slot block_slots[] = {
    {Py_tp_new, block_new},
    {Py_tp_dealloc, block_dealloc},
    {Py_bf_getbuffer, block_buffer},
    {Py_tp_doc, "Block(bytes): memory of a result"},
    {0, NULL},
};

static PyType_Spec block_spec = {
    .name = "ztile._core.Block",
    .basicsize = sizeof(struct block),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = block_slots,
};

int core_block_add_type(PyObject *module)
{
    return core_add_type(module, &block_spec, "Block", NULL);
}
