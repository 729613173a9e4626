"""Images and labels: embedded data, an ``.npz`` file, or a folder of images; checked before anything runs on them.

images holds `Data` and loads them; files reads ``.npz`` files and folders, classes says which class a subfolder stands
for, and official_images downloads MNIST and CIFAR-10.
"""

from __future__ import annotations

from dnncov_core.data.images import EMBEDDED_DATA, Data, check_for_network, load_data

__all__ = ["EMBEDDED_DATA", "Data", "check_for_network", "load_data"]
