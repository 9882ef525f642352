"""A folder for each kind of claim; a chapter imports the kernel and no other chapter (floats: also formula)."""
