"""Starts a server over stdio with the Python SDK and uses it: stdio.py MODE COMMAND [ARGUMENT...].

The mode is that of the SDK: auto for the stateless era, legacy for a handshake. Prints one JSON
object. The exit is an error if the server does not end with its input, or writes anything but
messages.
"""

import asyncio
import json
import logging
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(mode, command, arguments):
    parameters = StdioServerParameters(command=command, args=arguments)
    async with Client(stdio_client(parameters, errlog=sys.stderr), mode=mode) as client:
        tools = await client.list_tools()
        made = await client.call_tool("add_task", {"title": "Oil the chain", "idempotency_key": "k1"})
        again = await client.call_tool("add_task", {"title": "Oil the chain", "idempotency_key": "k1"})
        wrong = await client.call_tool("add_task", {})
        five = await asyncio.gather(*(client.call_tool("list_tasks", {}) for _ in range(5)))
        print(json.dumps({
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "once": made.structured_content == again.structured_content,
            "refused": wrong.is_error,
            "listed": [answer.structured_content["count"] for answer in five],
        }))


class Complain(logging.Handler):
    def emit(self, record):
        raise SystemExit(f"the SDK complains: {record.getMessage()}")


logging.getLogger("mcp").addHandler(Complain(level=logging.WARNING))
asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
