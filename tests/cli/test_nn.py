"""`nn backends`, `nn inspect`, `nn run`, and options of `run` about inference."""

from __future__ import annotations

import json
import zlib
from importlib.util import find_spec
from pathlib import Path
from struct import pack

import numpy as np
import pytest

from pywasm_nn.cli import call
from pywasm_nn.cli.failure import Failure
from pywasm_nn.cli.picture import laid_out, read, resized
from pywasm_nn.cli.rows import shape_for
from pywasm_nn.nn import DType, TensorSpec

from ..nn.backends.onnx_writer import Model, node

has_onnxruntime = find_spec("onnxruntime") is not None
ROOT = Path(__file__).parents[2]
DIGITS = ROOT / "examples" / "digits" / "models"
ADD_MUL = ROOT / "tests" / "nn" / "fixtures" / "add_mul_dyn.onnx"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = call([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_backends(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "nn", "backends")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert names[:5] == ["onnxruntime", "litert", "openvino", "numpy", "torch"]
    assert "tensorflow" in names
    starts = {line.index("  cpu (chosen ") for line in out.splitlines() if "  cpu (chosen " in line}
    assert len(starts) == 1, "columns"
    assert "cpu (chosen when a model is loaded)" in out
    _, out, _ = run(capsys, "nn", "backends", "--json")
    numpy = next(row for row in json.loads(out) if row["name"] == "numpy")
    assert numpy == {
        "name": "numpy", "formats": ["onnx"], "missing": None, "targets": ["cpu"], "late": [], "native": False
    }  # fmt: skip


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "nn", "inspect", ADD_MUL, "--nn-backend", "onnx=numpy")
    assert code == 0
    assert out.splitlines() == [
        f"{ADD_MUL}: onnx, numpy/CPU", "inputs:", "  #0 a  f32[N,2]", "  #1 b  f32[N,2]", "outputs:",
        "  #0 sum  f32[N,2]", "  #1 prod  f32[N,2]",
    ]  # fmt: skip
    _, out, _ = run(capsys, "nn", "inspect", ADD_MUL, "--nn-backend", "onnx=numpy", "--json")
    assert json.loads(out)["inputs"][1]["shape"] == ["N", 2]


def test_what_is_no_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    junk = tmp_path / "junk.bin"
    junk.write_bytes(b"junk")
    for path, words in ((junk, "of no format that is known here"), (tmp_path / "none", "there is no file")):
        for command in ("inspect", "run"):
            code, _, err = run(capsys, "nn", command, path)
            assert code == 1
            assert words in err
            assert "Traceback" not in err
    assert run(capsys, "nn", "inspect", ADD_MUL, "--nn-plugin", "what")[0] == 2


def test_a_program_is_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    program = ROOT / "tests" / "guests" / "hello_c.wasm"
    for command in ("inspect", "run"):
        code, _, err = run(capsys, "nn", command, program)
        said = "the bytes are a program in WebAssembly, not a model: `pywasm-nn run` runs it"
        assert (code, err) == (1, f"error: {program}: {said}\n")


def test_run_on_arrays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, values in ("a", [[1, 2]]), ("b", [[3, 4]]):
        np.save(tmp_path / f"{name}.npy", np.array(values, "f4"))
    words = ["nn", "run", ADD_MUL, f"b={tmp_path}/b.npy", f"a={tmp_path}/a.npy", "--save", tmp_path / "out",
             "--nn-backend", "onnx=numpy", "--top", "1"]  # fmt: skip
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert out.splitlines() == ["#0 sum  f32[1,2]", "  [0,1] 6", "#1 prod  f32[1,2]", "  [0,1] 8"]
    assert np.load(tmp_path / "out" / "sum.npy").tolist() == [[4, 6]]
    code, _, err = run(capsys, *words[:4])
    assert code == 2
    assert "the model has 2 input(s): a f32[N,2], b f32[N,2]; given were 1" in err
    np.save(tmp_path / "b.npy", np.zeros((1, 2), "f8"))
    assert "wants f32[N,2]; you gave f64[1,2]" in run(capsys, *words)[2]


def test_run_on_a_broken_array(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "b.npy", np.zeros((1, 2), "f4"))
    whole = (tmp_path / "b.npy").read_bytes()
    for broken in (whole[:-1], whole[:50], whole.replace(b"(1, 2)", b"(1<<40"), b"text"):
        (tmp_path / "b.npy").write_bytes(broken)
        code, out, err = run(capsys, "nn", "run", ADD_MUL, tmp_path / "b.npy", tmp_path / "b.npy")
        assert (code, out) == (1, "") and "b.npy: the" in err, err


def test_run_on_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "nn", "run", DIGITS / "digits.onnx", DIGITS / "digit.pgm", "--nn-backend",
                         "onnx=numpy")  # fmt: skip
    assert code == 0
    assert out.splitlines()[1].startswith("  [0,5] 0.97")
    assert "8 x 8 pixels, times 0.003922, NCHW f32" in err


def png(pixels: np.ndarray, colour: int, filters: list[int]) -> bytes:  # type: ignore[type-arg] # of any dtype
    """A PNG whose lines have these filters."""
    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels).astype(int)
    raw = b""
    for y, kind in enumerate(filters):
        above = rows[y - 1] if y else np.zeros_like(rows[0])
        left = np.concatenate([np.zeros(channels, int), rows[y][:-channels]])
        corner = np.concatenate([np.zeros(channels, int), above[:-channels]])
        estimate = left + above - corner
        distances = [abs(estimate - left), abs(estimate - above), abs(estimate - corner)]
        paeth = np.choose(np.argmin(distances, axis=0), [left, above, corner])
        guess = [0 * left, left, above, (left + above) // 2, paeth][kind]
        raw += bytes([kind]) + ((rows[y] - guess) % 256).astype("u1").tobytes()

    def chunk(name: bytes, body: bytes) -> bytes:
        return pack(">I", len(body)) + name + body + pack(">I", zlib.crc32(name + body))

    header = pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(raw))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(("colour", "channels"), [(0, 1), (2, 3), (4, 2), (6, 4)])
def test_png_with_every_filter(colour: int, channels: int, tmp_path: Path) -> None:
    pixels = np.random.default_rng(3).integers(0, 256, (5, 7, channels), dtype="u1")
    path = tmp_path / "p.png"
    path.write_bytes(png(pixels, colour, [4, 1, 2, 3, 4]))
    assert np.array_equal(read(str(path)), pixels[:, :, : 1 if channels < 3 else 3])
    data = path.read_bytes()
    for end in range(0, len(data) * 3 // 4, 7):
        path.write_bytes(data[:end])
        with pytest.raises(Failure):
            read(str(path))


def test_pictures_are_laid_out_as_the_input_wants(tmp_path: Path) -> None:
    path = tmp_path / "p.ppm"
    path.write_bytes(b"P6 # a remark\n4 2 255\n" + bytes(range(24)))
    picture = read(str(path))
    assert picture.shape == (2, 4, 3)
    chw, done = laid_out(picture, TensorSpec("x", DType.F32, (1, 3, 2, 4)), 1.0)
    assert done == "4 x 2 pixels, NCHW f32"
    assert np.array_equal(chw[0].transpose(1, 2, 0), picture)
    hwc, done = laid_out(picture, TensorSpec("x", DType.U8, (None, 4, 8, 3)), None)
    assert hwc.shape == (1, 4, 8, 3)
    assert done == "4 x 2 pixels, resized to 8 x 4, NHWC u8"
    grey, done = laid_out(picture, TensorSpec("x", DType.F32, (2, 4, 1)), None)
    assert grey.shape == (2, 4, 1)
    assert "made grey, times 0.003922, HWC f32" in done
    with pytest.raises(Failure, match="no picture"):
        laid_out(picture, TensorSpec("x", DType.F32, (1, 10)), None)


def test_resizing_keeps_what_is_even() -> None:
    ramp = np.arange(8, dtype="f4")[None, :, None].repeat(4, axis=0)
    assert np.allclose(resized(ramp, 4, 4)[0, :, 0], [0.5, 2.5, 4.5, 6.5])
    assert np.allclose(resized(np.full((3, 5, 1), 7, "f4"), 9, 2), 7)


GUEST = """(module
  (import "wasi_ephemeral_nn" "load_by_name" (func $load (param i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "m")
  (func (export "main") (result i32) (call $load (i32.const 0) (i32.const 1) (i32.const 16))))"""


def test_configuration_of_a_named_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(ADD_MUL.read_bytes())
    guest = tmp_path / "guest.wat"
    guest.write_text(GUEST)
    words = ["run", "--models", tmp_path, "--nn-backend", "onnx=numpy"]
    tail = ["--invoke", "main", guest]
    assert run(capsys, *words, *tail)[:2] == (0, "0\n")
    code, out, err = run(capsys, *words, "--nn-config", 'm={"target": "gpu", "threads": 2}', *tail)
    assert (code, out) == (0, "0\n")
    assert "numpy has no gpu here, the model runs on the cpu" in err
    assert run(capsys, *words, "--nn-strict", "--nn-config", 'm={"target": "gpu"}', *tail)[1] == "6\n"
    for text, code in (("m={", 2), ("m=[]", 2), ("what={}", 2), ('m={"target": "moon"}', 2)):
        assert run(capsys, *words, "--nn-config", text, *tail)[0] == code, text
    for text, told in {
        '{"treads": 2}': 'there is no option "treads"; did you mean "threads"?',
        '{"xyzzy": 2}': 'there is no option "xyzzy"; there are axis, batch, precision, ',
        '{"threads": "2"}': "the option \"threads\" is a whole number, not '2'",
        '{"threads": true}': 'the option "threads" is a whole number, not True',
        '{"wait": []}': 'the option "wait" is a whole number or a number or a text, not []',
    }.items():
        code, out, err = run(capsys, *words, "--nn-config", f"m={text}", *tail)
        assert (code, out) == (2, "") and told in err


ROWS = "1,2\n3,4\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.csv", ROWS),
        ("r.CSV", "\ufeffx,y\n\n1, 2\n3.0,4e0\n"),
        ("r.txt", "1 2\n3\t4"),
        ("r.tsv", "x y\tz\n1\t2\n3\t4\n"),
    ],
)
def test_numbers_of_a_text_file(
    name: str, text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    np.save(tmp_path / "b.npy", np.ones((2, 2), "f4"))
    words = [
        "nn",
        "run",
        ADD_MUL,
        tmp_path / name,
        tmp_path / "b.npy",
        "--nn-backend",
        "onnx=numpy",
        "--json",
    ]
    code, out, err = run(capsys, *words)
    assert code == 0 and "2 x 2 numbers" in err
    assert json.loads(out)["sum"]["data"] == [[2.0, 3.0], [4.0, 5.0]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"1,2,3\n", '1 x 3 numbers; input "a" is f32[N,2]'),
        (b"1,2\n3,red\n", "could not convert string 'red'"),
        (b"", "no data"),
        (b"\xff\xfe", "is no text"),
    ],
)
def test_numbers_that_an_input_does_not_take(
    text: bytes, told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "r.csv").write_bytes(text)
    code, out, err = run(
        capsys, "nn", "run", ADD_MUL, *[tmp_path / "r.csv"] * 2, "--nn-backend", "onnx=numpy"
    )
    assert (code, out) == (1, "") and told in err
    assert ("numpy.save" in err) is ("numbers; input" not in err), "a .npy of these numbers is refused, too"


def test_whatif_of_answers_that_it_can_not_compare(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    np.save(tmp_path / "a.npy", np.ones((1, 2), "f4"))
    code, out, _ = run(capsys, "nn", "whatif", ADD_MUL, *[tmp_path / "a.npy"] * 2)
    said = "answers are those of models with one output, and a class beside it at most; here are sum, prod"
    assert (code, out) == (0, f"nothing can be compared: {said}\n")
    shape = ("float32", ["N", 64])
    (tmp_path / "m.onnx").write_bytes(Model([node("Neg", ["x"], ["y"])], {"x": shape}, {"y": shape}).data())
    np.save(tmp_path / "x.npy", np.ones((3, 64), "f4"))
    code, out, _ = run(capsys, "nn", "whatif", tmp_path / "m.onnx", tmp_path / "x.npy")
    assert out.splitlines()[-1].startswith('nothing can be compared: the output "y" f32[N,64] is no choice')


def test_what_numpy_lacks_is_no_reason_to_install_what_is_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shape = ("float32", [1, 2])
    scaled = node("Scaler", ["x"], ["y"], "ai.onnx.ml", scale=(1.0, 2.0))
    (tmp_path / "m.onnx").write_bytes(Model([scaled], {"x": shape}, {"y": shape}).data())
    code, _, err = run(capsys, "nn", "inspect", tmp_path / "m.onnx", "--nn-backend", "onnx=numpy")
    assert code == 1 and "Scaler" in err
    assert ("onnxruntime, which is installed, reads ONNX where numpy isn't chosen" in err) is has_onnxruntime
    assert ("pip install" in err) is not has_onnxruntime


@pytest.mark.parametrize(
    ("shape", "taken"),
    [
        ((1, 4), (1, 4)), ((4,), (4,)), ((None,), (4,)), (("N", 2), (2, 2)), (("N", "L"), (2, 2)),
        (("N", 1, 2), (2, 1, 2)), (None, (2, 2)), ((2, "L"), (2, 2)), ((3, "L"), None), (("N", 3), None),
    ],
)  # fmt: skip
def test_how_rows_become_an_input(shape: tuple[int | str | None, ...] | None, taken: object) -> None:
    spec = TensorSpec("x", DType.F32, shape)  # type: ignore[arg-type] # unknown lengths, too
    if taken is None:
        with pytest.raises(ValueError, match='2 x 2 numbers; input "x" is'):
            shape_for((2, 2), spec)
    else:
        assert shape_for((2, 2), spec) == taken
