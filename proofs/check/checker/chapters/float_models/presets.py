"""Float models with reserved names: proofs/enclosures/float_models/presets.toml, without the assumptions."""

PRESETS = {  # storage, inputs, sums, scores, softmax, weights, normalised, exp_ulp, exp_base, block, sum_ulp, also
    "binary32": "binary32 binary32 binary32 binary32 binary32 binary32 either 4 either 0 1",
    "binary16": "binary16 binary16 binary16 binary16 binary16 binary16 either 4 e 0 1",
    "bfloat16": "bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 either 4 e 0 1",
    "binary16/binary32": "binary16 binary16 binary32 binary16 binary32 binary16 either 4 either 0 1",
    "bfloat16/binary32": "bfloat16 bfloat16 binary32 bfloat16 binary32 bfloat16 either 4 either 0 1",
    "tf32": "binary32 tf32 binary32 binary32 binary32 tf32 either 4 either 0 1",
    "torch-cpu": "binary32 binary32 binary32 binary32 binary32 binary32 either 20 e 512 1 merged scales",
    "torch-cpu/bfloat16": "bfloat16 bfloat16 binary32 bfloat16 binary32 bfloat16 either 20 e 512 1 gains merged scales",
    "torch-cpu/binary16": "binary16 binary16 binary32 binary16 binary32 binary16 either 20 e 512 1 gains merged scales",
    "torch-cpu/int8": "binary32 binary32 binary32 binary32 binary32 binary32 either 20 e 512 1 integers merged scales",
    "cuda": "binary32 binary32 binary32 binary32 binary32 binary32 either 4 either 64 1 merged scales",
    "flash": "bfloat16 bfloat16 binary32 binary32 binary32 bfloat16 after 4 2 64 1 gains merged",
    "bfloat16/tensor-cores": "bfloat16 bfloat16 binary32 bfloat16 binary32 bfloat16 "
        "either 4 either 64 2 gains merged scales",
    "binary16/tensor-cores": "binary16 binary16 binary32 binary16 binary32 binary16 "
        "either 4 either 64 2 gains merged scales",
    "tf32/tensor-cores": "binary32 tf32 binary32 binary32 binary32 tf32 either 4 either 64 2 merged scales",
    "llama.cpp/q8_0": "binary32 binary32 binary32 binary32 binary32 binary16 before 4 e 0 1 eights integers",
    "numpy": "binary32 binary32 binary32 binary32 binary32 binary32 either 4 e 0 1",
    "onnxruntime": "binary32 binary32 binary32 binary32 binary32 binary32 before 4 e 0 1 one pass scales",
    "onnxruntime/int8": "binary32 binary32 binary32 binary32 binary32 binary32 before 4 e 0 1 integers one pass scales",
}
