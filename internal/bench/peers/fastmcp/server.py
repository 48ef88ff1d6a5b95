"""FastMCP as its documentation shows a stateless server, with JSON answers, on uvicorn."""

import argparse
import asyncio
import datetime
import json
import socket
import zoneinfo

import httpx2
import uvicorn
from fastmcp import FastMCP
from fastmcp.tools import Tool, ToolResult
from markdownify import markdownify
from mcp.types import ToolAnnotations

arguments = argparse.ArgumentParser()
arguments.add_argument("--upstream")
arguments.add_argument("--tools")
settings = arguments.parse_args()

upstream = httpx2.AsyncClient(
    base_url=settings.upstream + "/5000001/",
    headers={"Authorization": "Bearer bench-access-token"},
    limits=httpx2.Limits(max_keepalive_connections=64),
)


async def get(path):
    response = await upstream.get(path)
    response.raise_for_status()
    return response.json()


async def list_tasks(_):
    return {"tasks": [], "count": 0, "total": 0, "has_more": False, "next_cursor": None}


async def get_me(_):
    profile, account = await asyncio.gather(get("my/profile.json"), get("account.json"))
    now = datetime.datetime.now(zoneinfo.ZoneInfo(profile["time_zone"])).replace(microsecond=0)
    return {
        "id": profile["id"],
        "name": profile["name"],
        "email": profile["email_address"],
        "title": profile["title"],
        "company": profile["company"]["name"],
        "time_zone": profile["time_zone"],
        "local_time": now.isoformat(),
        "weekday": now.strftime("%A"),
        "account": {"id": account["id"], "name": account["name"]},
        "scopes": ["read", "write"],
        "read_only": False,
    }


async def list_todos(given):
    page = (await get(f"todolists/{given['todolist_id']}/todos.json"))[: given["limit"]]
    first = page[0]
    return {
        "all_items": {
            "type": "todo",
            "project": {"id": first["bucket"]["id"], "name": first["bucket"]["name"]},
            "list": {"id": first["parent"]["id"], "name": first["parent"]["title"]},
        },
        "items": [
            {
                "id": d["id"],
                "title": d["title"],
                "description": markdownify(d["description"]),
                "completed": d["completed"],
                "completed_at": None,
                "due_on": d["due_on"],
                "assignees": [{"name": p["name"], "email": p["email_address"]} for p in d["assignees"]],
                "comments_count": d["comments_count"],
                "author": d["creator"]["name"],
                "created_at": d["created_at"],
            }
            for d in page
        ],
        "has_more": False,
        "next_page": None,
        "total": len(page),
    }


HANDLERS = {"list_tasks": list_tasks, "get_me": get_me, "list_todos": list_todos}


class Defined(Tool):
    """A tool with a ready JSON Schema."""

    async def run(self, arguments):
        answer = await HANDLERS[self.name](arguments)
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return ToolResult(content=text, structured_content=answer)


def main():
    server = FastMCP("bench")
    with open(settings.tools, encoding="utf-8") as file:
        for tool in json.load(file)["tools"]:
            server.add_tool(
                Defined(
                    name=tool["name"],
                    title=tool["title"],
                    description=tool["description"],
                    parameters=tool["inputSchema"],
                    output_schema=tool.get("outputSchema"),
                    annotations=ToolAnnotations(**tool["annotations"]),
                )
            )
    # Without its protocol, asyncio would not set TCP_NODELAY, and each answer would wait 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    print(f"ready at http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    app = server.http_app(stateless_http=True, json_response=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])


main()
