import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import "../../../plugins/index.js";
import { earlyStatus } from "../../../runtime/control/early-status.js";
import { runSettings } from "../../../runtime/control/run-settings.js";
import { temporaryDirectory } from "../../support/cli.js";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

const ROUTES = "routes:\n  - id: a\n    uri: /a\n    upstream: { nodes: { '127.0.0.1:1': 1 } }\n";

/** Files from which the address can be read without a parser. */
const CLEAR: [name: string, text: string][] = [
  ["no settings", ROUTES],
  ["braces", `gw:\n  workers: 1\n  status: { ip: 127.0.0.2, port: 17085 }\n${ROUTES}`],
  ["quotes in braces", `gw:\n  status: { ip: "127.0.0.2", port: 17085 }\n`],
  [
    "a block",
    `# first\n${ROUTES}gw:\n\n  # of status:\n  status:\n    ip: 127.0.0.2\n\n    port: 17085\n  workers: 2\n`,
  ],
  ["the port alone", "gw:\n    status:\n        port: 17085\n    workers: 2\n"],
  ["the address alone", "gw:\n  status:\n    ip: '::1'\n"],
  [
    "a status of something else",
    "gw:\n  node_listen: 19080\nplugin_attr:\n  prometheus: { export_uri: /status }\n",
  ],
  ["gw in a list", `${ROUTES}    name: "gw: { status: 1 }"\n`],
];

/** Files that need a parser. */
const UNCLEAR: [name: string, text: string][] = [
  ["all in braces", "{ gw: { status: 17085 } }\n"],
  ["gw in braces", "gw: { status: 17085 }\n"],
  ["a quoted key", '"gw":\n  status: 17085\n'],
  ["a number", "gw:\n  status: 17085\n"],
  ["an alias", "gw:\n  status: *there\n"],
  ["a variable", "gw:\n  status: { ip: 127.0.0.1, port: '${{PORT}}' }\n"],
  ["a document mark", "---\ngw:\n  status: 17085\n"],
  ["any port", "gw:\n  status: 0\n"],
];

const origin = () => ({ kind: "files" as const, paths: ["gateway.yaml"], directory: directory.path });
const write = (text: string) => writeFileSync(join(directory.path, "gateway.yaml"), text);

describe("the address of the status listener before anything is parsed", () => {
  it.each(CLEAR)("the early status address is that of the settings: %s", async (_, text) => {
    write(text);
    const { status } = await runSettings(origin(), {});
    expect(earlyStatus(origin())).toEqual(status);
  });

  it.each(UNCLEAR)("the early status address is undefined: %s", (_, text) => {
    write(text);
    expect(earlyStatus(origin())).toBeUndefined();
  });

  it("the early status address is read from a build", () => {
    const deployment = { gw: { node_listen: 1, status: { port: 17_085 } } };
    const text = JSON.stringify({ deployment, routes: [] }, null, 2);
    writeFileSync(join(directory.path, "gateway.json"), `${text}\n`);
    const built = { kind: "dist" as const, path: directory.path, directory: "/", writable: false };
    expect(earlyStatus(built)).toMatchObject({ host: "127.0.0.1", port: 17_085 });
  });
});
