"""A small server on FastMCP 4: `python fastmcp_server.py PORT`"""

import sys

from fastmcp import FastMCP

server = FastMCP("fastmcp")
READS = {"readOnlyHint": True}


@server.tool(annotations=READS)
def add(a: int, b: int) -> int:
    """Adds two integers"""
    return a + b


@server.tool(annotations=READS)
def fail() -> str:
    """Fails"""
    raise ValueError("it failed")


@server.prompt
def greet(name: str) -> str:
    """Greets"""
    return f"Greet {name}"


@server.resource("note://hello")
def hello() -> str:
    """Says hello"""
    return "Hello"


server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
