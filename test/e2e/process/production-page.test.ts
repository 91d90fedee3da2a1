import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { useTemporaryDirectory } from "../../support/cli.js";
import { commandsOf, type PageShell, pageShell, patternOf } from "../../support/console-page.js";
import { freePort } from "../../support/ports.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const read = (name: string) => readFileSync(`${ROOT}/${name}`, "utf8");

/** Ports of the page, which other gateways of this machine may use. */
const PORTS = ["9080", "9443", "7085", "9180", "9091", "8081"];

const directory = useTemporaryDirectory();
let shell: PageShell | undefined;

afterEach(async () => {
  await shell?.close();
  shell = undefined;
});

it("each command of docs/pull-request-to-production.md prints the output that the page shows", async () => {
  let page = read("docs/pull-request-to-production.md");
  for (const port of PORTS)
    page = page.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(await freePort()));
  shell = pageShell(directory.path);
  for (const { command, output } of commandsOf(page)) {
    const printed = await shell.run(command);
    expect(printed, command).toMatch(patternOf(output ?? ""));
  }
}, 300_000);

it("the image of docs/pull-request-to-production.md fits the entrypoint of the Dockerfile", () => {
  const page = read("docs/pull-request-to-production.md");
  const entrypoint = JSON.parse(
    /^ENTRYPOINT (.*)$/m.exec(read("packaging/container/Dockerfile"))?.[1] ?? "[]",
  );
  expect(entrypoint.at(-1)).toMatch(/\.build\/bundle\/gwc\.js$/);
  expect(JSON.parse(/^CMD (.*)$/m.exec(page)?.[1] ?? "[]")).toEqual(["run", "/etc/gwc/releases/current"]);
  expect(page).toContain("ENV GWC_VERIFY_KEY=/etc/gwc/build.pub");
});
