"""Models on servers that implement the Open Inference Protocol v2 (KServe, Triton, MLServer), over HTTP or
gRPC.

Addresses are `oip+http://HOST:PORT/MODEL`, `oip+https`, `oip+grpc`, `oip+grpcs`; only the host names them.
What is here: the backend. `address` parses addresses, `settings` parses options, `protocol` has the messages,
`http` and `grpc` exchange them, `running` has graphs, contexts and failover, `call` limits a request's time.
Source: https://github.com/kserve/open-inference-protocol/tree/main/specification/protocol
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...backend import Backend, Graph, GraphConfig, OptionKinds
from ...errors import Code, NNError
from ...formats import Format

if TYPE_CHECKING:
    from .running import Servers

SCHEMES = ("oip+http", "oip+https", "oip+grpc", "oip+grpcs")


class RemoteBackend(Backend):
    name = "remote"
    formats = (Format("oip", "a model on a server of the Open Inference Protocol", schemes=SCHEMES),)
    packages = ("urllib3", "tritonclient")
    extra = "remote"
    rank = 5
    guest_options: Mapping[str, float | None] = {}

    def host_options(self) -> OptionKinds:
        return {"timeout": (int, float), "binary": (str,), "headers": (dict,)}

    @cached_property
    def _servers(self) -> Servers:
        from .running import Servers

        return Servers()

    def load(self, format: str, parts: Sequence[bytes | memoryview], config: GraphConfig) -> Graph:
        raise NNError(Code.UNSUPPORTED_OPERATION, "a model on a server is named by its address, not by bytes")

    def load_at(
        self,
        format: str,
        addresses: Sequence[str],
        config: GraphConfig,
        patience: Callable[[], float | None],
    ) -> Graph:
        from .address import place_of
        from .running import loaded
        from .settings import settings_of

        options: Mapping[str, Any] = config.options
        return loaded(
            self.name, self._servers, [place_of(one) for one in addresses], settings_of(options), patience
        )
