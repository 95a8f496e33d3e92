"""Each reason excuses what it says, and nothing that lies beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from conformance.fuzz.known import REASONS, Sight, excused, refusal
from conformance.oracle import apply, widen
from tests.conformance.make import ROOT
from trtx_backend.graph import MLGraphBuilder

INF, NAN = np.inf, np.nan


def f32(*values: Any) -> Any:
    return np.array(values, np.float32)


def f16(*values: Any) -> Any:
    return np.array(values, np.float16)


def reasons(
    operator: str,
    arguments: Mapping[str, Any],
    actual: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    dtype: str = "",
    outputs: Sequence[str] = ("y",),
) -> list[str]:
    """For each element the reason that excuses `actual`, or "". Arrays among arguments and options are operands, all of the
    result's elements are outside of the tolerance; the last output is looked at. `dtype`: its, if not the first operand's."""
    operands = {key: value for key, value in {**arguments, **(options or {})}.items() if isinstance(value, np.ndarray)}

    def name(key: str, value: Any) -> Any:
        return key if key in operands else value

    given: list[dict[str, Any]] = [{key: name(key, value)} for key, value in arguments.items()]
    given.append({"options": {key: name(key, value) for key, value in (options or {}).items()}})
    call = {"name": operator, "arguments": given, "outputs": list(outputs) if len(outputs) > 1 else outputs[0]}
    dtypes = {key: value.dtype.name for key, value in operands.items()}
    dtypes[outputs[-1]] = dtype or next(iter(dtypes.values()))
    with np.errstate(all="ignore"):
        exact = np.asarray(apply(call, {key: widen(value) for key, value in operands.items()}, dtypes)[outputs[-1]])
    made = np.array(actual, dtypes[outputs[-1]]).reshape(exact.shape)
    found = excused(Sight(call, outputs[-1], operands, dtypes, exact, made), np.ones(exact.shape, bool))
    return [next((text for text, elements in found.items() if elements.flat[i]), "") for i in range(exact.size)]


def excuses(words: str, *arguments: Any, **options: Any) -> list[bool]:
    """For each element whether the reason with these words excuses it. No other reason may."""
    texts = reasons(*arguments, **options)
    assert all(text == "" or words in text for text in texts), texts
    return [text != "" for text in texts]


def test_powers_beyond_the_type() -> None:
    words = "power of integers"
    base, exponent = np.array([3, 2, 1, 0, -2], np.int32), np.array([40, 3, 70, 5, 31], np.int32)
    assert excuses(words, "pow", {"a": base, "b": exponent}, [7] * 5) == [True, False, False, False, False]
    assert excuses(words, "pow", {"a": base[:2], "b": np.array([19, 31], np.int32)}, [7, 7]) == [False, True]
    large = np.array([2**31 - 1, 2**31], np.uint32)
    assert excuses(words, "pow", {"a": np.ones(2, np.uint32), "b": large}, [7, 7]) == [False, True]
    assert excuses(words, "pow", {"a": f32(3), "b": f32(400)}, [7]) == [False]
    assert excuses(words, "mul", {"a": base[:1], "b": exponent[:1]}, [7]) == [False]


def test_nan_to_an_integer() -> None:
    x, one, zero = f32(NAN, INF, 1), f32(1, 1, 1), np.zeros(3, np.int8)
    given = {"input": x, "scale": one, "zeroPoint": zero}
    assert excuses("NaN to", "quantizeLinear", given, [5] * 3, dtype="int8") == [True, False, False]
    given = {"input": f32(0, 0, 1), "scale": f32(0, 1, 0), "zeroPoint": zero}
    assert excuses("NaN to", "quantizeLinear", given, [5] * 3, dtype="int8") == [True, False, False]


def test_quotients_of_more_digits_than_float32_has() -> None:
    def quantized(value: float, actual: int, dtype: str) -> list[bool]:
        given = {"input": f32(value), "scale": f32(1), "zeroPoint": np.zeros(1, dtype)}
        return excuses("digits", "quantizeLinear", given, [actual], dtype=dtype)

    assert quantized(1e9, 10**9 + 64, "int32") == [True]
    assert quantized(1e9, 10**9 + 65, "int32") == [False]
    assert quantized(2**24, 2**24 + 1, "int32") == [False]
    assert quantized(3e9, 3 * 10**9 - 256, "uint32") == [True]
    assert quantized(100, 101, "int8") == [False]
    assert quantized(1e9, 126, "int8") == [False], "it is 127 whatever the quotient's digits"


def test_interpolated_integers() -> None:
    def resampled(actual: list[int], mode: str = "linear", right: int = 5) -> list[bool]:
        x = np.array([0, right], np.int8).reshape(1, 1, 1, 2)
        options = {"mode": mode, "sizes": [1, 3]}
        return excuses("a half", "resample2d", {"input": x}, actual, options=options)

    assert resampled([0, 3, 5]) == [False, True, False]  # exactly 2.5, which is 2
    assert resampled([1, 1, 4]) == [False, False, False]
    assert resampled([0, 4, 5]) == [False, False, False]
    assert resampled([0, 3, 5], right=4) == [False, False, False]
    assert resampled([0, 3, 5], mode="nearest-neighbor") == [False, False, False]


def test_taps_of_weight_0() -> None:
    def convolved(x: Any, kernel: Any, actual: list[float], **options: Any) -> list[bool]:
        given = {"input": x.reshape(1, 1, 1, -1), "filter": kernel.reshape(1, 1, 1, -1)}
        return excuses("tap of weight 0", "conv2d", given, actual, options=options)

    assert convolved(f32(INF, 1, 2), f32(0, 1), [1, 7]) == [True, False]
    assert convolved(f32(INF, -INF, 2), f32(3, 1), [1, 7]) == [False, False]
    assert convolved(f32(3, 1, 2), f32(0, 1), [NAN, NAN]) == [False, False]
    assert convolved(f32(1, 1), f32(INF, 2), [3, 4, NAN], padding=[0, 0, 1, 1]) == [True, False, True]

    def resampled(mode: str, actual: list[float]) -> list[bool]:
        options = {"mode": mode, "sizes": [1, 2]}
        return excuses("tap", "resample2d", {"input": f16(INF, 1).reshape(1, 1, 1, 2)}, actual, options=options)

    assert resampled("linear", [INF, 7]) == [True, False]
    assert resampled("nearest-neighbor", [NAN, 7]) == [False, False]
    product = {"a": f32(INF, 0).reshape(1, 2), "b": f32(0, 1).reshape(2, 1)}
    assert excuses("", "matmul", product, [1]) == [False]


def test_prelu_of_0() -> None:
    given = {"input": f32(0, 0, 0, 1, -1, 0), "slope": f32(INF, NAN, 2, INF, NAN, INF)}
    assert excuses("prelu", "prelu", given, [0, 0, 7, 7, 0, 7]) == [True, True, False, False, False, False]


def test_limits_at_infinity() -> None:
    x = {"input": f32(INF, -INF, 1)}
    assert excuses("softsign", "softsign", x, [1, -1, 7]) == [True, True, False]
    assert excuses("softsign", "softsign", x, [-1, 0, 1]) == [False, False, False]
    for name in ("gelu", "hardSwish"):
        assert excuses("softsign", name, x, [0, 0, 7]) == [False, True, False]
    assert excuses("softsign", "sigmoid", x, [7, 7, 7]) == [False, False, False]


def test_float16_products_to_which_c_is_added() -> None:
    def multiplied(make: Any, a: float, c: float | None, actual: float, **options: Any) -> list[bool]:
        more = {} if c is None else {"c": make([c])}
        given = {"a": make([a]), "b": make([300])}
        return excuses("float16 product", "gemm", given, [actual], options={**more, **options})

    assert multiplied(f16, 300, -60000, INF) == [True]
    assert multiplied(f16, 300, -60000, 7) == [False]
    assert multiplied(f16, 200, -50000, INF) == [False]
    assert multiplied(f16, 300, -60000, INF, beta=0.5) == [False]
    assert multiplied(f16, 300, None, 7, alpha=0.5) == [False]
    assert multiplied(f32, 300, -60000, INF) == [False]


def test_biases_behind_a_padded_output() -> None:
    def deconvolved(make: Any, x: float, bias: float, actual: float, **options: Any) -> list[str]:
        given = {"input": make(x, 1).reshape(1, 1, 1, 2), "filter": make(300).reshape(1, 1, 1, 1)}
        more = {"bias": make(bias), "strides": [2, 1], **options}
        return [
            text[:24]
            for text in reasons("convTranspose2d", given, [actual] + [7] * (3 if options else 1), options=more)
        ]

    padded = {"outputPadding": [1, 0]}
    assert deconvolved(f16, 300, -60000, INF, **padded) == ["a float16 product beyond", "", "", ""]
    assert deconvolved(f16, 300, -60000, 7, **padded) == [""] * 4
    assert deconvolved(f16, 200, -50000, INF, **padded) == [""] * 4
    assert deconvolved(f16, 300, -60000, INF) == [""] * 2
    assert deconvolved(f32, 300, -60000, INF, **padded) == [""] * 4
    assert deconvolved(f32, 2e36, -3e38, INF, **padded) == ["a step inside leaves the", "", "", ""]
    assert deconvolved(f32, 1e36, -3e38, INF, **padded) == [""] * 4
    assert deconvolved(f32, 2e36, -3e38, INF) == [""] * 2


def test_c_times_a_beta_of_0() -> None:
    def added(make: Any, c: float, beta: float) -> list[bool]:
        given = {"a": make([2], [3]), "b": make([5])}
        return excuses("beta of 0", "gemm", given, [10, 15], options={"c": make([c], [1]), "beta": beta})

    assert added(f32, INF, 0) == [True, False]
    assert added(f32, NAN, 0) == [True, False]
    assert added(f16, INF, 1e-8) == [True, False]  # 0 in float16
    assert added(f32, INF, 1e-8) == [False, False]
    assert added(f32, 4, 0) == [False, False]

    def undefined(a: float, c: float, beta: float) -> list[bool]:
        given = {"a": f32([a]), "b": f32([1])}
        return excuses("beta of 0", "gemm", given, [7], options={"c": f32([c]), "beta": beta})

    assert undefined(INF, -INF, 1) == [False]
    assert undefined(NAN, 4, 0) == [False]


def lstm_cell(cell: float, forget: float, actual: float) -> list[str]:
    given = {"input": f32([1]), "weight": np.zeros((4, 1), np.float32), "recurrentWeight": np.zeros((4, 1), np.float32),
             "hiddenState": f32([0]), "cellState": f32([cell]), "hiddenSize": 1}  # fmt: skip
    return reasons("lstmCell", given, [actual], options={"bias": f32(0, 0, forget, 0)}, outputs=("h", "c"))


def test_gates_that_are_0_in_float32_on_an_infinity() -> None:
    assert "on an infinity" in lstm_cell(INF, -200, NAN)[0]
    assert lstm_cell(INF, -200, 7) == [""]
    assert lstm_cell(INF, -20, NAN) == [""], "not 0 in float32"
    assert lstm_cell(1e30, -200, NAN) == [""]
    assert lstm_cell(INF, 2000, 7) == [""], "and it is infinite"
    assert "range of float32" in lstm_cell(1e30, -110, 0)[0]


def test_infinities_that_only_float32_makes_are_of_its_range() -> None:
    weight = np.zeros((4, 1), np.float32)
    weight[3] = 1e5
    given = {"input": f32([3e38]), "weight": weight, "recurrentWeight": np.zeros((4, 1), np.float32),
             "hiddenState": f32([0]), "cellState": f32([0]), "hiddenSize": 1}  # fmt: skip
    options = {"bias": f32(-200, 0, 0, 0), "activations": ["sigmoid", "relu", "tanh"]}
    (text,) = reasons("lstmCell", given, [NAN], options=options, outputs=("h", "c"))
    assert "range of float32" in text


@pytest.mark.parametrize(
    ("operator", "inside", "beside", "actual", "options"),
    [
        ("reduceL2", f32(1e20), f32(1e19), [INF], {}),
        ("reduceL2", f32(1e-30), f32(1e-15), [0], {}),
        ("reduceLogSum", f32(3e38, 3e38), f32(1e38, 1e38), [INF], {}),
        ("l2Pool2d", f32(1e20, 1).reshape(1, 1, 1, 2), f32(1e19, 1).reshape(1, 1, 1, 2), [INF], {}),
        ("averagePool2d", f32(3e38, 3e38).reshape(1, 1, 1, 2), f32(1e38, 1e38).reshape(1, 1, 1, 2), [INF], {}),
        ("averagePool2d", f32(3e38, -3e38, 3e38, 1).reshape(1, 1, 2, 2), f32(1e38, -1e38, 1e38, 1).reshape(1, 1, 2, 2), [INF], {}),
        ("instanceNormalization", f32(1e20, 3e20).reshape(1, 1, 1, 2), f32(1e18, 3e18).reshape(1, 1, 1, 2), [0, 0], {}),
        ("instanceNormalization", f32(3e38, 1e38, 3e38).reshape(1, 1, 1, 3), f32(3e18, 1e18, 3e18).reshape(1, 1, 1, 3), [0] * 3, {}),
        ("layerNormalization", f32(1e20, 3e20), f32(1e18, 3e18), [0, 0], {"axes": [0]}),
    ],
)  # fmt: skip
def test_steps_that_leave_the_range_of_float32(
    operator: str, inside: Any, beside: Any, actual: Any, options: Mapping[str, Any]
) -> None:
    words = "range of float32"
    assert excuses(words, operator, {"input": inside}, actual, options=options) == [True] * len(actual)
    assert excuses(words, operator, {"input": beside}, actual, options=options) == [False] * len(actual)
    assert excuses(words, operator, {"input": inside}, [7] * len(actual), options=options) == [False] * len(actual)


def test_steps_of_an_element_excuse_no_other() -> None:
    x = f32([1e20], [1])
    assert excuses("range", "reduceL2", {"input": x}, [INF, INF], options={"axes": [1]}) == [True, False]
    assert excuses("range", "reduceL2", {"input": x}, [INF, 1.005], options={"axes": [1]}) == [True, False]
    product = {"a": f32([1e30], [1]), "b": f32([1e30])}
    assert excuses("range", "gemm", product, [INF, INF], options={"alpha": 1e-30}) == [True, False]
    given = {"input": f32([3e38, 1]), "mean": f32(-3e38, 0), "variance": f32(1e10, 1)}
    assert excuses("range", "batchNormalization", given, [INF, INF]) == [True, False]
    scaled = {"options": {"scale": f32(0, 1)}}
    assert excuses("range", "batchNormalization", given, [NAN, 7], **scaled) == [True, False]
    assert excuses("range", "batchNormalization", given, [7, 7], **scaled) == [False, False]


def test_small_parts_of_a_large_result_are_looked_at() -> None:
    given = {"input": f32(1e20, 3e20)}  # normalized it is about -1 and 1, in float32 0 and 0
    options = {"axes": [0], "bias": f32(1e5, 1e5)}
    assert excuses("range", "layerNormalization", given, [1e5, 1e5], options=options) == [True, True]
    assert excuses("range", "layerNormalization", given, [1e5 + 3, 1e5], options=options) == [False, True]


def test_factors_a_channel_that_are_outside_of_float32() -> None:
    def normalized(scale: float, x: float, actual: float) -> list[bool]:
        given = {"input": f32(x), "mean": f32(0), "variance": f32(0.1875)}
        return excuses("range", "batchNormalization", given, [actual], options={"axis": 0, "scale": f32(scale)})

    assert normalized(2.5e38, 0, NAN) == [True]
    assert normalized(1e38, 0, NAN) == [False]
    assert normalized(2.5e38, 0, 7) == [False]
    assert normalized(1e-44, 1e22, 2.2421e-22) == [True]  # 16.17 times the least number, of which 16 is kept
    assert normalized(1e-44, 1e22, 3e-22) == [False]
    given = {"input": f32(1), "mean": f32(0), "variance": f32(0.1875)}
    options = {"axis": 0, "scale": f32(1), "bias": -f32(1) / np.sqrt(f32(0.1875) + f32(1e-5))}
    assert excuses("", "batchNormalization", given, [0], options=options) == [False], "rounding is no range"


def test_partial_sums_of_a_gate_in_another_order() -> None:
    def cell(bias: float, actual: float) -> list[bool]:
        given = {"input": f32([0]), "weight": np.zeros((4, 1), np.float32), "recurrentWeight": f32([0], [0], [0], [-bias]),
                 "hiddenState": f32([1]), "cellState": f32([2]), "hiddenSize": 1}  # fmt: skip
        options = {"bias": f32(0, 0, 0, bias), "recurrentBias": f32(0, 0, 0, bias)}
        return excuses("range", "lstmCell", given, [actual], options=options, outputs=("h", "c"))

    assert cell(3e38, NAN) == [True]
    assert cell(3e38, 7) == [False]
    assert cell(1e38, NAN) == [False]


def test_squares_near_the_least_number() -> None:
    def pooled(x: float, actual: float, *, half: bool = False) -> list[bool]:
        given = {"input": (f16 if half else f32)(x, 0, 0).reshape(1, 1, 1, 3)}
        return excuses("range", "l2Pool2d", given, [actual])

    assert pooled(2.880936e-22, 2.899619e-22) == [True]
    assert pooled(2.880936e-22, 2.888e-22) == [True]
    assert pooled(2.880936e-22, 2.96e-22) == [False]
    assert pooled(2.880936e-12, 2.899619e-12) == [False]
    assert pooled(1e-7, 0, half=True) == [False]


@pytest.mark.parametrize("name", ["instanceNormalization", "layerNormalization"])
def test_means_far_from_0(name: str) -> None:
    def normalized(x: list[float], actual: list[float]) -> list[bool]:
        shape = (1, 1, 1, 2) if name == "instanceNormalization" else (2,)
        options = {} if name == "instanceNormalization" else {"axes": [0]}
        return excuses("a mean far", name, {"input": f32(*x).reshape(shape)}, actual, options=options)

    def in_steps(*x: float) -> list[float]:
        """As numpy's float32 has it, with a mean that is rounded once."""
        values = f32(*x)
        centred = values - np.float32(values.astype(np.float64).mean())
        made = centred / np.sqrt(np.float32(np.mean(centred * centred)) + np.float32(1e-5))
        return [float(value) for value in made]

    far, near = (4096.3, 4096.1), (0.3, 0.1)
    assert normalized([*far], in_steps(*far)) == [True, True]
    assert normalized([*far], [0.7, -0.7]) == [False, False]
    assert normalized([*near], [0.7, -0.7]) == [False, False]
    assert normalized([*near], in_steps(*near)) == [False, False]


def test_what_is_one_step_has_none_inside() -> None:
    given = {"a": f32([1e30]), "b": f32([1e10])}
    assert excuses("", "matmul", given, [INF]) == [False]
    assert excuses("", "reduceSumSquare", {"input": f32(1e20)}, [7]) == [False]
    assert excuses("", "reduceL2", {"input": f16(300)}, [INF]) == [False], "float16's squares are in float32's range"


def test_gates_that_hang_on_rounding() -> None:
    def cell(size: float, actual: float) -> list[bool]:
        """The update gate is sigmoid(size + 0.3 - size)."""
        weights = np.zeros((3, 2), np.float32)
        weights[0] = size, 0.3
        recurrent = np.zeros((3, 1), np.float32)
        recurrent[0] = -size
        given = {
            "input": f32([1, 1]),
            "weight": weights,
            "recurrentWeight": recurrent,
            "hiddenState": f32([1]),
            "hiddenSize": 1,
        }
        return excuses("hangs on", "gruCell", given, [actual])

    assert cell(1e9, 0.5) == [True]  # 1e9 + 0.3 is 1e9 in float32
    assert cell(1e9, NAN) == [False]
    assert cell(1e9, 7) == [False]
    assert cell(1e3, 0.5) == [False], "no more than rounding can make of it"
    assert cell(2e3, 0.5) == [False]


def test_gates_that_hang_on_rounding_beside_infinities() -> None:
    """Two that were found: where a last bit may make NaN, and where float16 makes an infinity of what is left."""
    given = {"input": f32([[-3, -1.3125, -0.3125]], [[0.8125, 1.9375, 2.125]], [[-2.5625, 0.625, 0.0625]], [[-2, -2.5625, -3.4375]]),
             "weight": f32([[-8.771343e21, -1.734069e7, -1.729656], [-4.176768e-15, -1.694551e-12, -4.98073e-27],
                            [-4.199596e-27, -1.795684e-29, 5.574532e-20], [-2.073937e19, -7.175277e9, 1.99133e24]]),
             "recurrentWeight": f32([[-8.507059e37], [-3.402823e38], [-8.507059e37], [-3.402823e38]]),
             "steps": 4, "hiddenSize": 1}  # fmt: skip
    options = {"bias": f32([2.8125, 1.125, 0.0625, -1.875]), "initialCellState": f32([[1.420831e-12]])}
    assert excuses("hangs on", "lstm", given, [0], options=options, outputs=("h", "c")) == [True]
    assert excuses("hangs on", "lstm", given, [-0.3], options=options, outputs=("h", "c")) == [True]
    assert excuses("hangs on", "lstm", given, [7], options=options, outputs=("h", "c")) == [False]

    recurrent = [[49120, -65504, 65504], [65504, -16376, 32752], [32752, 65504, -65504], [49120, -16376, -65504], [49120, 32752, 49120],
                 [-65504, -16376, -16376], [32752, -16376, -65504], [49120, 65504, 65504], [49120, 49120, -65504]]  # fmt: skip
    given = {"input": f16([[-65504]], [[49120]], [[-16376]]), "recurrentWeight": f16(recurrent), "steps": 3, "hiddenSize": 3,
             "weight": f16([[3.938], [-3], [0.9375], [-3.438], [-2.875], [-3.062], [-1.5], [-1.0625], [-3.125]])}  # fmt: skip
    options = {"activations": ["relu", "sigmoid"]}
    assert excuses("hangs on", "gru", given, [-INF, -INF, 7], options=options) == [True, False, False]


def test_a_last_bit_that_makes_nan_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"input": f32([1]), "weight": f32([1e9], [0], [0]), "recurrentWeight": f32([0], [0], [0]),
             "hiddenState": f32([1]), "hiddenSize": 1}  # fmt: skip
    nan, other = np.array([[NAN]]), np.array([[0.5]])
    for unsteady, expected in (([nan], False), ([nan, other], True), ([other, nan], True)):
        monkeypatch.setattr(Sight, "unsteady", unsteady)
        assert excuses("hangs on", "gruCell", given, [0.75]) == [expected]


def graph(*calls: Mapping[str, Any], constants: Sequence[str] = ()) -> Mapping[str, Any]:
    inputs = {name: {"constant": True} if name in constants else {} for name in ("x", "k")}
    return {"inputs": inputs, "operators": calls}


@pytest.mark.parametrize(
    ("operator", "dtype", "options", "expected"),
    [
        ("elu", "float32", {"alpha": "Infinity"}, True),
        ("leakyRelu", "float16", {"alpha": 1e10}, True),
        ("leakyRelu", "float32", {"alpha": 1e10}, False),
        ("hardSigmoid", "float32", {"beta": "-Infinity"}, True),
        ("elu", "float32", {"beta": "Infinity"}, False),
        ("linear", "float32", {"alpha": "Infinity"}, False),
        ("elu", "float32", {}, False),
    ],
)
def test_infinite_options(operator: str, dtype: str, options: Mapping[str, Any], expected: bool) -> None:
    call = {"name": operator, "arguments": [{"input": "x"}, {"options": options}], "outputs": "y"}
    other = {"name": "relu", "arguments": [{"input": "y"}], "outputs": "z"}
    made, operands = graph(call, other), {"x": MLGraphBuilder().input("x", dtype, [2])}
    assert bool(refusal("NETWORK", "alpha must be finite", made, operands)) == expected
    assert not refusal("NETWORK", "something else", made, operands)
    assert not refusal("ENGINE", "alpha must be finite", made, operands)


@pytest.mark.parametrize("name", ["quantizeLinear", "dequantizeLinear"])
@pytest.mark.parametrize(
    ("shape", "scale", "constant", "expected"),
    [
        ((1,) * 7 + (4,), 2, False, True),
        ((1,) * 6 + (4,), 2, False, False),
        ((1,) * 7 + (4,), 4, False, False),
        ((1,) * 7 + (4,), 1, False, False),
        ((1,) * 7 + (4,), 2, True, False),
    ],
)
def test_blocks_that_need_nine_dimensions(
    name: str, shape: tuple[int, ...], scale: int, constant: bool, expected: bool
) -> None:
    builder, few = MLGraphBuilder(), (*shape[:-1], scale)
    types = ("float32", "int8") if name == "quantizeLinear" else ("int8", "int8")
    parts = {"s": ("float32", few), "z": (types[1], few)}
    operands = {"x": builder.input("x", types[0], shape)}
    for key, (dtype, own) in parts.items():
        operands[key] = (
            builder.constant(dtype, np.ones(own, dtype), own) if constant else builder.input(key, dtype, own)
        )
    call = {"name": name, "arguments": [{"input": "x"}, {"scale": "s"}, {"zeroPoint": "z"}], "outputs": "y"}
    assert bool(refusal("NETWORK", "shuffle: Dims", graph(call), operands)) == expected
    assert not refusal("NETWORK", "something else", graph(call), operands)
    assert not refusal("ENGINE", "shuffle: Dims", graph(call), operands)


@pytest.mark.parametrize(
    ("source", "constants", "options", "expected"),
    [
        ("x", ("x",), {"groups": 2, "dilations": [1, 2]}, True),
        ("y", ("x",), {"groups": 2, "dilations": [1, 2]}, True),  # computed of a constant
        ("x", ("x", "k"), {"groups": 2, "dilations": [1, 2]}, True),
        ("x", ("k",), {"groups": 2, "dilations": [1, 2]}, False),
        ("x", (), {"groups": 2, "dilations": [1, 2]}, False),
        ("y", (), {"groups": 2, "dilations": [1, 2]}, False),
        ("x", ("x",), {"groups": 2}, False),
        ("x", ("x",), {"dilations": [2, 2]}, False),
    ],
)
def test_deconvolutions_of_a_constant(
    source: str, constants: Sequence[str], options: Mapping[str, Any], expected: bool
) -> None:
    first = {"name": "relu", "arguments": [{"input": "x"}], "outputs": "y"}
    call = {"name": "convTranspose2d", "arguments": [{"input": source}, {"filter": "k"}, {"options": options}],
            "outputs": "z"}  # fmt: skip
    text = "deconv_lowering.cpp:34: CHECK(op->operands()[0]->is_tensor()) failed"
    assert bool(refusal("ENGINE", text, graph(first, call, constants=constants), {})) == expected
    assert not refusal("ENGINE", "host_instr.cpp:2952", graph(first, call, constants=constants), {})
    assert not refusal("NETWORK", text, graph(first, call, constants=constants), {})


def test_every_reason_is_in_the_findings() -> None:
    text = (ROOT / "docs/tensorrt-findings.md").read_text(encoding="utf-8")
    assert len(REASONS) > 10
    assert not [reason.text for reason in REASONS if reason.text not in text]
