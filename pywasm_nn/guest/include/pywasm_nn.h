/* What pywasm-nn offers beyond wasi-nn: names, outputs that compute writes in place, inspection. Import module `pywasm_nn`.
 *
 * Handles, tensors and error numbers are those of wasi_nn.h, whose functions are used beside these. A host that is not
 * pywasm-nn refuses a program that imports them when it is loaded.
 *
 * Part of pywasm-nn, Apache-2.0.
 */
#ifndef PYWASM_NN_H
#define PYWASM_NN_H

#include "wasi_nn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PYWASM_NN_BF16 = 16, PYWASM_NN_NO_TYPE = 255 }; /* tensor types of descriptions, besides those of nn_tensor_type */
#define PYWASM_NN_UNKNOWN 0xffffffffu                  /* a rank or dimension that is only known at run time */

typedef struct {
    uint32_t inputs;
    uint32_t outputs;
} pywasm_nn_counts;

typedef struct {
    uint32_t type;
    uint32_t rank;
    uint32_t name_size; /* in bytes, without a NUL */
} pywasm_nn_description;

#define PYWASM_NN_IMPORT(name) __attribute__((import_module("pywasm_nn"), import_name(#name)))

PYWASM_NN_IMPORT(set_input_by_name)
nn_errno pywasm_nn_set_input_by_name(nn_execution_context, const char *name, uint32_t length, const nn_tensor *);

/* An output of another context's last compute becomes an input, without passing through this program's memory. */
PYWASM_NN_IMPORT(set_input_from)
nn_errno pywasm_nn_set_input_from(nn_execution_context, uint32_t index, nn_execution_context source, uint32_t output);

/* Every compute from now on writes the output to `buffer` and fetches only outputs that have a buffer; NN_TOO_LARGE from
 * compute if one doesn't fit. NULL and 0: not any more. The buffer stays the program's to keep. */
PYWASM_NN_IMPORT(set_output)
nn_errno pywasm_nn_set_output(nn_execution_context, uint32_t index, void *buffer, uint32_t size);

PYWASM_NN_IMPORT(set_output_by_name)
nn_errno pywasm_nn_set_output_by_name(
    nn_execution_context, const char *name, uint32_t length, void *buffer, uint32_t size);

PYWASM_NN_IMPORT(get_output_by_name)
nn_errno pywasm_nn_get_output_by_name(
    nn_execution_context, const char *name, uint32_t length, void *buffer, uint32_t capacity, uint32_t *written);

/* The shape of an output of the last compute. `size` is in bytes, four for each dimension. */
PYWASM_NN_IMPORT(get_output_dimensions)
nn_errno pywasm_nn_get_output_dimensions(
    nn_execution_context, uint32_t index, uint32_t *dimensions, uint32_t size, uint32_t *rank);

/* A context with other options (JSON) than its graph: OpenVINO takes "target", LiteRT and OpenVINO "threads". */
PYWASM_NN_IMPORT(init_execution_context_with_config)
nn_errno pywasm_nn_init_execution_context_with_config(
    nn_graph, const char *config, uint32_t length, nn_execution_context *context);

PYWASM_NN_IMPORT(count)
nn_errno pywasm_nn_count(nn_graph, pywasm_nn_counts *counts);

PYWASM_NN_IMPORT(describe_input)
nn_errno pywasm_nn_describe_input(nn_graph, uint32_t index, pywasm_nn_description *description);

PYWASM_NN_IMPORT(describe_output)
nn_errno pywasm_nn_describe_output(nn_graph, uint32_t index, pywasm_nn_description *description);

/* `size` bytes of room: as many as the description says are written, no NUL. */
PYWASM_NN_IMPORT(input_name)
nn_errno pywasm_nn_input_name(nn_graph, uint32_t index, char *buffer, uint32_t size);

PYWASM_NN_IMPORT(output_name)
nn_errno pywasm_nn_output_name(nn_graph, uint32_t index, char *buffer, uint32_t size);

/* Room in bytes, four for each dimension. */
PYWASM_NN_IMPORT(input_dimensions)
nn_errno pywasm_nn_input_dimensions(nn_graph, uint32_t index, uint32_t *dimensions, uint32_t size);

PYWASM_NN_IMPORT(output_dimensions)
nn_errno pywasm_nn_output_dimensions(nn_graph, uint32_t index, uint32_t *dimensions, uint32_t size);

#undef PYWASM_NN_IMPORT

#ifdef __cplusplus
}
#endif

#endif
