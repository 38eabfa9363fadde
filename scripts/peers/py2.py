"""A small server on the Python SDK 2.x: `python py2.py PORT`"""

import sys

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("py2", version="1.0.0")
READS = ToolAnnotations(read_only_hint=True)


@server.tool(annotations=READS)
def add(a: int, b: int) -> int:
    """Adds two integers"""
    return a + b


@server.tool(annotations=READS)
def fail() -> str:
    """Fails"""
    raise ValueError("it failed")


@server.prompt()
def greet(name: str) -> str:
    """Greets"""
    return f"Greet {name}"


@server.resource("note://hello")
def hello() -> str:
    """Says hello"""
    return "Hello"


server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
