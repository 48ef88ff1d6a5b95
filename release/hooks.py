#!/usr/bin/env python3
"""Hooks of .goreleaser.yaml and make release.

notes TAG prints what CHANGELOG.md says about the version.
bundles VERSION OWNER runs in dist/ after the programs are built. It writes a desktop bundle for each of them, a
template that deploys the zips of the functions and, with an owner, server.json for the MCP registry.
"""
import glob, hashlib, json, re, sys, zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def notes(tag):
    # A candidate such as v1.2.3-rc.1 has the notes of the next version.
    title = tag[1:] if re.fullmatch(r"v\d+\.\d+\.\d+", tag) else "Unreleased"
    found = re.search(r"(?ms)^## %s\b[^\n]*\n(.*?)(?=^## |\Z)" % re.escape(title), (ROOT / "CHANGELOG.md").read_text())
    if not found:
        sys.exit(f"CHANGELOG.md has no section {title}; name the section of the changes after the version, and tag that commit")
    print(found[1].strip())


def bundles(version, owner):
    def filled(name, program=""):
        return json.loads((ROOT / "release" / name).read_text().replace("OWNER", owner).replace("VERSION", version).replace("PROGRAM", program))

    server = filled("server.json")
    for path in sorted(glob.glob("basecamp-mcp_*_*/basecamp-mcp*")):
        program, system, processor = "server/" + Path(path).name, *path.split("_")[1:3]
        manifest = filled("manifest.json", program)
        manifest["compatibility"] = {"platforms": [system.replace("windows", "win32")]}
        if owner:
            manifest["repository"] = {"type": "git", "url": server["websiteUrl"]}
        bundle = Path(f"basecamp-mcp_{version}_{system}_{processor}.mcpb")
        with zipfile.ZipFile(bundle, "w") as z:
            for name, content in (("manifest.json", json.dumps(manifest, indent=2)), (program, Path(path).read_bytes()), ("LICENSE", (ROOT / "LICENSE").read_bytes()), ("icon.png", (ROOT / "release" / "icon.png").read_bytes())):
                entry = zipfile.ZipInfo(name)  # of 1980, the earliest time that a zip can store
                entry.external_attr = (0o755 if name == program else 0o644) << 16
                z.writestr(entry, content, zipfile.ZIP_DEFLATED)
        settings = [(variable, manifest["user_config"][value[14:-1]]) for variable, value in manifest["server"]["mcp_config"]["env"].items()]
        server["packages"].append({
            "registryType": "mcpb", "version": version, "transport": {"type": "stdio"},
            "identifier": f"{server['websiteUrl']}/releases/download/v{version}/{bundle}", "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
            "environmentVariables": [{"name": variable, "description": s["description"], "isRequired": False, "isSecret": "sensitive" in s, "format": s["type"]} for variable, s in settings]})
    if owner:
        Path("server.json").write_text(json.dumps(server, indent=2) + "\n")
    function = r"(?m)^(  (\w+Function):\n    Type: AWS::Serverless::Function\n)    Metadata: \{ BuildMethod: makefile \}\n(    Properties:\n(?:      .*\n)*?      CodeUri: )\.$"
    Path("template.yaml").write_text(re.sub(function, r"\1\3\2.zip", (ROOT / "template.yaml").read_text()))


{"notes": notes, "bundles": bundles}[sys.argv[1]](*sys.argv[2:])
