/* wasi-nn for C: the import module `wasi_ephemeral_nn`, six functions of the witx specification and the six that hosts added.
 *
 * What is here: types, numbers and imports, exactly as they cross between guest and host. What is not: any helper that hides
 * them. The specification is https://github.com/WebAssembly/wasi-nn/blob/main/wasi-nn.witx
 *
 * Every function answers an error number, and writes through its last pointer only when that is NN_SUCCESS.
 *
 * Part of pywasm-nn, Apache-2.0.
 */
#ifndef WASI_NN_H
#define WASI_NN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t nn_graph;             /* a loaded model */
typedef uint32_t nn_execution_context; /* one use of it: inputs, outputs */

typedef uint32_t nn_errno;
enum {
    NN_SUCCESS = 0,
    NN_INVALID_ARGUMENT = 1, /* a handle, an index, a type or a shape is wrong */
    NN_INVALID_ENCODING = 2, /* nobody here reads the model as this encoding */
    NN_MISSING_MEMORY = 3,
    NN_BUSY = 4,
    NN_RUNTIME_ERROR = 5,         /* the framework failed: a corrupt model, outputs before compute */
    NN_UNSUPPORTED_OPERATION = 6, /* this model or this host cannot do it */
    NN_TOO_LARGE = 7,             /* the buffer is too small, or a limit is reached */
    NN_NOT_FOUND = 8,             /* no model of this name */
    NN_END_OF_SEQUENCE = 100,     /* language models: nothing more to say */
    NN_CONTEXT_FULL = 101,
    NN_PROMPT_TOO_LONG = 102,
    NN_MODEL_NOT_FOUND = 103, /* the name is known, its file is not there */
};

typedef uint32_t nn_encoding;
enum {
    NN_OPENVINO = 0, /* two builders: the .xml, the .bin */
    NN_ONNX = 1,
    NN_TENSORFLOW = 2,
    NN_PYTORCH = 3,
    NN_TENSORFLOWLITE = 4,
    NN_AUTODETECT = 5,
};

typedef uint32_t nn_target;
enum { NN_CPU = 0, NN_GPU = 1, NN_TPU = 2 };

typedef uint8_t nn_tensor_type;
enum { NN_F16 = 0, NN_F32 = 1, NN_F64 = 2, NN_U8 = 3, NN_I32 = 4, NN_I64 = 5 };

/* One part of a model: its bytes. 8 bytes, pointer and length. */
typedef struct {
    const uint8_t *data;
    uint32_t size;
} nn_graph_builder;

/* Dimensions outermost first; elements row-major and little-endian. 20 bytes. */
typedef struct {
    const uint32_t *dimensions;
    uint32_t rank;
    nn_tensor_type type; /* at offset 8: one byte, three of padding */
    const uint8_t *data;
    uint32_t size; /* in bytes: the product of the dimensions times the size of an element */
} nn_tensor;

#ifdef __cplusplus
#define NN_STATIC_ASSERT static_assert
#else
#define NN_STATIC_ASSERT _Static_assert
#endif
NN_STATIC_ASSERT(sizeof(void *) == 4, "wasi-nn is defined for wasm32");
NN_STATIC_ASSERT(sizeof(nn_graph_builder) == 8, "graph_builder is 8 bytes");
NN_STATIC_ASSERT(sizeof(nn_tensor) == 20, "tensor is 20 bytes");

#define NN_IMPORT(name) __attribute__((import_module("wasi_ephemeral_nn"), import_name(#name)))

/* Loads a model from its parts. `count` counts builders. The host keeps no pointer: the bytes may be freed after the call. */
NN_IMPORT(load)
nn_errno nn_load(const nn_graph_builder *builders, uint32_t count, nn_encoding encoding, nn_target target, nn_graph *graph);

/* Loads a model that whoever runs the guest has given a name. UTF-8, `length` bytes, no NUL needed. */
NN_IMPORT(load_by_name)
nn_errno nn_load_by_name(const char *name, uint32_t length, nn_graph *graph);

NN_IMPORT(init_execution_context)
nn_errno nn_init_execution_context(nn_graph graph, nn_execution_context *context);

/* Copies the tensor: its memory may be used again after the call. */
NN_IMPORT(set_input)
nn_errno nn_set_input(nn_execution_context context, uint32_t index, const nn_tensor *tensor);

/* Inputs stay set, so that computing again needs only those that change. */
NN_IMPORT(compute)
nn_errno nn_compute(nn_execution_context context);

/* Copies an output, at most `capacity` bytes; `written` is its size in bytes. NN_TOO_LARGE copies nothing. */
NN_IMPORT(get_output)
nn_errno nn_get_output(nn_execution_context context, uint32_t index, uint8_t *buffer, uint32_t capacity, uint32_t *written);

/* What follows is not in the specification; WasmEdge and others provide it. */

/* As load_by_name, with configuration as JSON. */
NN_IMPORT(load_by_name_with_config)
nn_errno nn_load_by_name_with_config(
    const char *name, uint32_t length, const char *config, uint32_t config_length, nn_graph *graph);

/* Language models: one token a call. The first compute_single reads the prompt; NN_END_OF_SEQUENCE ends the answer. */
NN_IMPORT(compute_single)
nn_errno nn_compute_single(nn_execution_context context);

NN_IMPORT(get_output_single)
nn_errno nn_get_output_single(
    nn_execution_context context, uint32_t index, uint8_t *buffer, uint32_t capacity, uint32_t *written);

NN_IMPORT(fini_single)
nn_errno nn_fini_single(nn_execution_context context);

NN_IMPORT(unload)
nn_errno nn_unload(nn_graph graph);

NN_IMPORT(finalize_execution_context)
nn_errno nn_finalize_execution_context(nn_execution_context context);

#undef NN_IMPORT
#undef NN_STATIC_ASSERT

/* The specification's name of an error. */
static inline const char *nn_errno_name(nn_errno error) {
    switch (error) {
    case NN_SUCCESS: return "success";
    case NN_INVALID_ARGUMENT: return "invalid_argument";
    case NN_INVALID_ENCODING: return "invalid_encoding";
    case NN_MISSING_MEMORY: return "missing_memory";
    case NN_BUSY: return "busy";
    case NN_RUNTIME_ERROR: return "runtime_error";
    case NN_UNSUPPORTED_OPERATION: return "unsupported_operation";
    case NN_TOO_LARGE: return "too_large";
    case NN_NOT_FOUND: return "not_found";
    case NN_END_OF_SEQUENCE: return "end_of_sequence";
    case NN_CONTEXT_FULL: return "context_full";
    case NN_PROMPT_TOO_LONG: return "prompt_too_long";
    case NN_MODEL_NOT_FOUND: return "model_not_found";
    default: return "an error unknown to this program";
    }
}

#ifdef __cplusplus
}
#endif

#endif
