"""Lets a test control a Python client that logs in: login_client.py sdk|fastmcp URL.

The test acts as the user: this script writes {authorize}, the URL for the browser, and reads
{redirected}, the final redirect. Then it writes {version, tools}. After that, each line read is
{tool, arguments}, answered with the result of the call or with {failed}; or {tokens} or {spoil},
answered with the tokens.
"""

import asyncio
import json
import sys
import threading
import time
import urllib.request
import warnings
import webbrowser
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit

import fastmcp
import httpx2
from fastmcp.client.auth import OAuth
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

warnings.filterwarnings("ignore", message="Using in-memory token storage")


def say(**members):
    print(json.dumps(members), flush=True)


def listen():
    line = sys.stdin.readline()
    return json.loads(line) if line else None


class Storage:
    """Keeps the tokens and the registration in memory."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


def sdk(url):
    async def redirect(address):
        say(authorize=address)

    async def callback():
        asked = await asyncio.to_thread(listen)
        answer = parse_qs(urlsplit(asked["redirected"]).query)
        return AuthorizationCodeResult(code=answer["code"][0], state=answer["state"][0], iss=answer["iss"][0])

    metadata = OAuthClientMetadata(
        client_name="e2e", redirect_uris=["http://127.0.0.1:9/callback"], token_endpoint_auth_method="none",
        grant_types=["authorization_code", "refresh_token"], response_types=["code"],
    )
    auth = OAuthClientProvider(url, metadata, Storage(), redirect, callback)
    return auth, Client(streamable_http_client(url, http_client=httpx2.AsyncClient(auth=auth, timeout=30)))


def with_fastmcp(url):
    def visit():
        redirected = listen()["redirected"]
        for _ in range(600):
            try:
                with urllib.request.urlopen(redirected) as page:
                    return page.read()
            except URLError:  # FastMCP listens only after it has opened the browser
                time.sleep(0.05)

    def browse(address):
        say(authorize=address)
        threading.Thread(target=visit, daemon=True).start()

    webbrowser.open = browse
    auth = OAuth(client_name="e2e", callback_host="127.0.0.1", callback_timeout=60)
    return auth, fastmcp.Client(url, auth=auth)


async def call(client, asked):
    try:
        answer = await client.session.call_tool(asked["tool"], asked["arguments"])
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    except Exception as error:
        return {"failed": repr(error)}


async def main(kind, url):
    auth, client = {"sdk": sdk, "fastmcp": with_fastmcp}[kind](url)
    async with client:
        listed = await client.list_tools()
        say(version=client.protocol_version, tools=[tool.name for tool in getattr(listed, "tools", listed)])
        while asked := await asyncio.to_thread(listen):
            if "spoil" in asked:  # marks it as expired too, because the SDK refreshes only by the clock
                auth.context.current_tokens.access_token = "spoilt"
                auth.context.token_expiry_time = time.time() - 60
            if "spoil" in asked or "tokens" in asked:
                say(**auth.context.current_tokens.model_dump(exclude_none=True))
            else:
                say(**await call(client, asked))


asyncio.run(main(*sys.argv[1:]))
