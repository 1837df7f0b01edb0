/* module.c: the module ztile._core: its functions, its types, the library's version. */
#include "core.h"
#include "ztile_expert.h"

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "ztile._core",
    "libztile, as the package ztile calls it.",
    -1,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
};

int core_add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **type)
{
    PyObject *const made = PyType_FromSpec(spec);
    if (!made || PyModule_AddObjectRef(module, name, made)) {
        Py_XDECREF(made);
        return -1;
    }
    if (type)
        *type = (PyTypeObject *)made;
    else
        Py_DECREF(made);
    return 0;
}

/* The name that the interpreter looks for. */
PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    if (PyModule_AddFunctions(module, core_memory_methods) ||
        PyModule_AddFunctions(module, core_zfp_methods) ||
        PyModule_AddFunctions(module, core_entropy_methods) ||
        PyModule_AddFunctions(module, core_tensor_functions) || core_tensor_add_type(module) ||
        core_stream_add_types(module) || core_block_add_type(module) ||
        PyModule_AddStringConstant(module, "version", zt_version()) ||
        PyModule_AddStringConstant(module, "isa", zt_isa_name(zt_context_isa(NULL)))) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
