"""What the names of subfolders stand for: classes by name or number, or the classes in their order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from dnncov_core.box import Box
from dnncov_core.data import check_for_network, load_data
from dnncov_core.data.classes import FolderLabels, labels_of
from dnncov_core.errors import DataError
from dnncov_core.networks.pretrained import pretrained_card

BIRDS = ("great grey owl", "crane", "black-and-tan coonhound", "Cardigan", "crane", "cardigan", "jack-o'-lantern")


@pytest.mark.parametrize(
    ("subfolders", "classes", "numbers"),
    [
        (["great grey owl"], BIRDS, (0,)),
        (["Great_Grey-OWL", "black and tan coonhound", "jack o' lantern"], BIRDS, (0, 2, 6)),
        (["1", "4", "6"], BIRDS, (1, 4, 6)),
        (["006", "great-grey-owl"], BIRDS, (6, 0)),
        (["3", "7"], "0123456789", (3, 7)),
        (["stop", "give_way"], ["give way", "stop"], (1, 0)),
        (["1", "2"], ["1", "2", "3"], (0, 1)),
        (["benign", "malignant"], ["Malignant", "Benign"], (1, 0)),
        (["cafe\u0301"], ["bar", "caf\u00e9"], (1,)),
    ],
)
def test_names_and_numbers_of_some_classes(
    subfolders: list[str], classes: Sequence[str], numbers: tuple[int, ...]
) -> None:
    assert labels_of(subfolders, classes) == FolderLabels(numbers, tuple(classes))


@pytest.mark.parametrize(
    ("subfolders", "classes"),
    [
        (["ant", "cat"], ()),
        (["ant", "cat"], ("0", "1")),
        (["cat", "dog"], ("zero", "one")),
        (["2", "3"], ("zero", "one")),
    ],
)
def test_as_many_subfolders_as_classes_count_in_their_order(subfolders: list[str], classes: tuple[str, ...]) -> None:
    assert labels_of(subfolders, classes) == FolderLabels((0, 1), tuple(subfolders))


@pytest.mark.parametrize(
    ("subfolders", "message"),
    [
        (["crane"], "a subfolder for one class; got 'crane', the name of 1, 4; rename it to a number"),
        (["CARDIGAN", "0"], "got 'CARDIGAN', the name of 3, 5; rename it to a number"),
        (
            ["great grey owl", "n01440764", "owls"],
            "expected subfolders that are all named by the network's classes, as 'great grey owl' is; got 'n01440764',"
            " 'owls', which are none of them, among 3 subfolders; rename to a class's name or number, such as"
            " 'great grey owl' or 0",
        ),
        (["7"], "got '7', which is none of them"),
        (["-1"], "got '-1', which is none of them"),
        (["²"], "got '²', which is none of them"),
        (["0", "great grey owl"], "one subfolder for each class; got '0' and 'great grey owl' for class 0; put"),
    ],
)
def test_names_that_do_not_say_which_class_are_refused(subfolders: list[str], message: str) -> None:
    with pytest.raises(DataError) as caught:
        labels_of(subfolders, BIRDS)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("subfolders", "classes", "named"),
    [
        (["benign", "malign"], ["Malignant", "Benign"], "as 'benign' is; got 'malign', which is none"),
        (["1", "2"], ["zero", "one"], "as '1' is; got '2', which is none"),
        (["cat", "dgo"], ["dog", "cat"], "as 'cat' is; got 'dgo', which is none"),
        ([*"abcd", "e"], list("vwxye"), "got 'a', 'b', 'c' and others, which are none"),
    ],
)
def test_an_order_is_never_guessed_where_a_name_matches(subfolders: list[str], classes: list[str], named: str) -> None:
    with pytest.raises(DataError) as caught:
        labels_of(subfolders, classes)
    assert named in str(caught.value)


def test_wordnet_ids_name_the_classes_of_imagenet() -> None:
    classes = pretrained_card("squeezenet1_1").classes
    subfolders = ["n01440764", "n06874185", "n15075141", "goldfish"]
    labels = labels_of(subfolders, classes)
    assert [classes[number] for number in labels.numbers] == ["tench", "traffic light", "toilet tissue", "goldfish"]
    with pytest.raises(DataError, match="got 'n01440764' and 'tench' for class 0"):
        labels_of(["n01440764", "tench"], classes)


def test_a_number_never_stands_beside_a_name_of_the_same_class() -> None:
    with pytest.raises(DataError, match="got '0' and '1' for class 0"):
        labels_of(["0", "1"], ["1", "2", "3"])


def test_a_folder_of_some_classes_fits_the_network(tmp_path: Path) -> None:
    classes = ("fish", "traffic light", "owl")
    for name in ("Traffic_Light/a.png", "Traffic_Light/b.png", "0/a.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (20, 20)).save(tmp_path / name)
    data = load_data(tmp_path, (3, 20, 20), classes=classes)
    assert (data.labels.tolist(), data.classes) == ([0, 1, 1], classes)
    check_for_network(data, Box((3, 20, 20), (0.0, 1.0)), 3)
