"""Whom an address stands for."""

from __future__ import annotations

import ipaddress

_IPV6_SITE = 64
"""Bits that one site has in common; the rest are its own to choose."""


def network(client: tuple[str, int] | None) -> str:
    """Return what the addresses of one client have in common.

    Parameters
    ----------
    client
        Host and port; None where a connection has none.

    Returns
    -------
    str
        An IPv4 address, the network of an IPv6 address, or the host as it is.
    """
    host = client[0] if client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address), _IPV6_SITE), strict=False))
