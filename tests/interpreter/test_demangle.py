"""Symbols of Rust and C++. What they stand for is as rustc's and LLVM's own tools say it, without parameters,
hashes and crate numbers."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywasm_nn.interpreter.demangle import demangle
from pywasm_nn.interpreter.demangle.reading import MOST_TEXT

NAMES = {
    # Rust before version 0, and as linkers show it that take it for C++
    "_ZN4core3fmt5write17h0123456789abcdefE": "core::fmt::write",
    "_ZN4core3fmt5write17h0123456789abcdefE.llvm.1234": "core::fmt::write",
    "core::fmt::write::h0123456789abcdef": "core::fmt::write",
    "_$LT$T$u20$as$u20$core..any..Any$GT$::type_id::h0123456789abcdef": "<T as core::any::Any>::type_id",
    "_ZN102_$LT$core..iter..adapters..map..Map$LT$I$C$F$GT$$u20$as$u20$core..iter..traits..iterator..Iterator"
    "$GT$4fold17h20b278ac18c3563aE": "<core::iter::adapters::map::Map<I,F> as core::iter::traits::iterator::"
    "Iterator>::fold",
    "_ZN1b10stra$udf$e28_$u7b$$u7b$closure$u7d$$u7d$17h6502f7f01d000a15E": "b::straße::{{closure}}",
    # Rust from version 0 on
    "_RNvCskwGfYPst2Cb_3foo16example_function": "foo::example_function",
    "_RNvC6_123foo3bar": "123foo::bar",
    "_RNvXs_NtNtCs1234_7mycrate3foo3barNtB4_3BazNtNtC4core3fmt7Display3fmt": "<mycrate::foo::bar::Baz as "
    "core::fmt::Display>::fmt",
    "_RINvNtCs1_1a4shop3arrKj3_Kb1_Kc78_EB4_": "a::shop::arr::<3, true, 'x'>",
    "_RNCNvCs1_1a4main0B3_": "a::main::{closure#0}",
    "_RNCNCNvCs1_1a4mains_0s0_0B5_": "a::main::{closure#1}::{closure#2}",
    "_RINvC1a1fFG_RL0_ShPaEReE": "a::f::<for<'a> fn(&'a [u8], *const i8) -> &str>",
    "_RINvC1a1fDINtC1b2FnTmEEp6OutputyEL_E": "a::f::<dyn b::Fn<(u32,), Output = u64>>",
    "_RINvC1a1fFUKCEzATaoEj2_E": 'a::f::<unsafe extern "C" fn() -> !, [(i8, u128); 2]>',
    "_RNvCsj6gjteTz5uu_1bu9strae_oqa": "b::straße",
    "_RYNtC1a1SNtC1b1T": "<a::S as b::T>",
    "_RMC1aSh": "<[u8]>",
    # C++
    "_Z3fooi": "foo",
    "_ZN4shop4CartIiE2atEm": "shop::Cart<int>::at",
    "_ZNVK4shop4CartIiE2atEm": "shop::Cart<int>::at",
    "_ZN4shop3runIiLi3EEET_RKNS_4CartIS1_EERAT0__S1_PSt3mapISsS1_E": "shop::run<int, 3>",
    "_ZNSt6vectorIiSaIiEE9push_backERKi": "std::vector<int, std::allocator<int>>::push_back",
    "_ZNSsC1EPKc": "std::string::string",
    "_ZN3FooD0Ev": "Foo::~Foo",
    "_ZN12_GLOBAL__N_13fooEv": "(anonymous namespace)::foo",
    "_ZN3FoocvbEv": "Foo::operator bool",
    "_ZN3FooixEi": "Foo::operator[]",
    "_ZN3foo3barB5cxx11Ev": "foo::bar[abi:cxx11]",
    "_ZN4llvmlsINS_1AEEERT_S3_": "llvm::operator<< <llvm::A>",
    "_ZZ4mainENKUlvE_clEv": "main::'lambda'()::operator()",
    "_ZZN1A1fEiENK1B1gEv": "A::f(int)::B::g",
    "_ZN1fIPFivEE1gEv": "f<int (*)()>::g",
    "_ZN1fIRA3_KcE1gEv": "f<char const (&)[3]>::g",
    "_ZN1fIM1AKFivEE1gEv": "f<int (A::*)() const>::g",
    "_ZN1fIJidEE1gEv": "f<int, double>::g",
    "_ZN1fIXadL_Z3barvEEE1gEv": "f<&(bar())>::g",
    "_ZN1fILb1ELj7EL1E2EE1gEv": "f<true, 7u, (E)2>::g",
    "_ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE6appendEPKcm": "std::__1::"
    "basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>::append",
    # No symbols, and such as aren't right
    "main": "main",
    "": "",
    "_Z": "_Z",
    "_ZN": "_ZN",
    "_R": "_R",
    "_RNvC": "_RNvC",
    "_ZN99999999999999fooE": "_ZN99999999999999fooE",
    "_ZTV3Foo": "_ZTV3Foo",
    "_RNvB_1a": "_RNvB_1a",
}


@pytest.mark.parametrize("symbol", NAMES)
def test_names(symbol: str) -> None:
    assert demangle(symbol) == NAMES[symbol]


@pytest.mark.parametrize(
    "symbol",
    [
        "_ZN1fI" + "P" * 100_000 + "iE1gEv",
        "_ZN1fI" + "1aI" * 50_000,
        "_ZN1fIFvi" + "".join(f"FvS{n}_S{n}_E" for n in "0123456789ABCDEFGH") + "EE1gEv",
        "_RINvC1a1f" + "T" * 100_000,
        "_RINvC1a1fT" + "".join(f"TB{c}_B{c}_E" for c in "abcdefghijklmnopqrstuvwxyzABCDEF") + "EE",
        "_RNvC1a" + "9" * 100_000,
        "_ZN" + "1a" * 100_000 + "E",
        "_ZN" + "1a" * 1900 + "E",
        "_RINvC1a1fKj" + "f" * 100_000 + "_E",
    ],
)
def test_hostile_symbols_cost_little(symbol: str) -> None:
    began = time.thread_time()
    assert len(demangle(symbol)) <= max(len(symbol), MOST_TEXT)
    assert time.thread_time() - began < 0.5


@given(
    st.sampled_from(["_ZN", "_Z", "_R", "_RINvC1a1f", "_ZN1fI"]),
    st.text("NSKPRFEILXTJDCMYVAZBUtavsil0123459_oOGhpz", max_size=40),
)
def test_any_text_is_a_name_or_itself(start: str, rest: str) -> None:
    assert isinstance(demangle(start + rest), str)


@pytest.mark.parametrize("symbol", [symbol for symbol, name in NAMES.items() if name and name != symbol])
def test_damaged_symbols(symbol: str) -> None:
    for at in range(len(symbol)):
        assert isinstance(demangle(symbol[:at]), str)
        assert isinstance(demangle(symbol[:at] + symbol[at + 1 :]), str)
