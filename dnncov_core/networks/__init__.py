"""Networks: the canonical form that everything else works on, the embedded networks, and loading by name or file.

network is the canonical network: a graph of operators, from a module that exported_program exports; operators says what
each of them means, composites which of them are one activation function together, steps evaluates them, program_ends
what goes in and comes out, decision what the outputs say, and module_check what each network has to pass. memory says
how many inputs go through it at the same time. loader opens what a reference names: a ``.pt2`` file that pt2_check and
pt2_program have found safe, an ``.onnx`` file, or a factory; arguments are what it is told beside the module, companion
reads the TOML file beside a network's file that tells it, origins says it in records, and scaled makes the
network of both. zoo has the embedded networks by their structures and cards, pretrained those of torchvision
(pretrained_modules, weights, saved_tensors).

Of an ONNX file, onnx_file reads what it holds, onnx_trials and onnx_module make it a module for batches of any size by
the functions of onnx_operators, onnx_shapes and onnx_windows, and onnx_check compares the network with ONNX Runtime.
"""
