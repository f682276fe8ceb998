"""A case as a folder of files: model, inputs, expected outputs, and a script that runs it.

``python -m devices write`` and the failure folders of a run have this one format::

    model.xml, model.bin     the model
    manifest.json            what the other files are: see `reports.results.case_folder.manifest`
    input_I_K.npy            input K of inference I
    expected_I_K.npy         output K of inference I, as the specification has it
    allowed_I_K.npy          the largest absolute errors of that output; none where it is exact
    exact_I_K.npy            that output before it was rounded to its type, if that changes it
    state_I_K.npy            value that a variable is given before inference I, if it is
    actual_I_K.npy           output K of inference I as the device computed it, if it was run
    reproduce.py             runs the model on a device and compares; needs openvino and numpy only

A tensor of a type that NumPy lacks is stored as its bytes (uint8), strings as lists in JSON.
`writing` writes a folder, `manifest` and `tensors` read it.

The folder holds a copy of the modules that reproduce.py needs, so that it works without this
project. Those modules run on every Python from 3.8 on. No module here imports another one of the project, so
they import each other by relative names.
"""
