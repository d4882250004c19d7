"""Addresses of models: `oip+http://HOST:PORT/MODEL[/versions/V]`, or with `/v2/models` before MODEL."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from ....records import Frozen
from ...errors import Code, NNError

PORTS = {"http": 80, "https": 443, "grpc": 8001, "grpcs": 8001}
MODELS = "/v2/models/"


class Place(Frozen):
    """The address of a model. `prefix` is the path before `/v2`."""

    scheme: str
    host: str
    port: int
    prefix: str
    model: str
    version: str

    @property
    def server(self) -> tuple[str, str, int, str]:
        """A key that models of one server share."""
        return self.scheme, self.host, self.port, self.prefix

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def place_of(address: str) -> Place:
    """Parse an address. Raises NNError(INVALID_ARGUMENT), whose text never shows a password."""
    try:
        parts = urlsplit(address)
        scheme, host, port = parts.scheme.lower().removeprefix("oip+"), parts.hostname, parts.port
    except ValueError as error:
        raise NNError(Code.INVALID_ARGUMENT, f"this is no address of a model: {error}") from None
    if "@" in parts.netloc:
        raise refused("it has a name or a password in it; give a header by the option headers")
    if not address.isascii() or not address.isprintable() or " " in address:
        raise refused("it has characters that no address has")
    if parts.query or parts.fragment:
        raise refused("it has a ? or # in it")
    prefix, models, path = parts.path.rpartition(MODELS)
    path = path if models else parts.path.removeprefix("/")
    name, _, version = path.partition("/versions/")
    if not host or not name or "/" in name or "/" in version:
        raise refused("write oip+http://HOST:PORT/MODEL, and /versions/V behind it for one version")
    return Place(scheme, host, port or PORTS[scheme], prefix, unquote(name), unquote(version))


def refused(why: str) -> NNError:
    return NNError(Code.INVALID_ARGUMENT, f"the address of the model can't be used: {why}")
