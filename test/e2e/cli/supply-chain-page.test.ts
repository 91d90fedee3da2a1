import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { useTemporaryDirectory } from "../../support/cli.js";
import { commandsOf, type PageShell, pageShell, patternOf } from "../../support/console-page.js";

const PAGE = readFileSync(fileURLToPath(new URL("../../../docs/supply-chain.md", import.meta.url)), "utf8");

const directory = useTemporaryDirectory();
let shell: PageShell | undefined;

afterEach(() => shell?.close());

it("the page docs/supply-chain.md shows the output of its commands", async () => {
  shell = pageShell(directory.path);
  for (const { command, output } of commandsOf(PAGE)) {
    const printed = await shell.run(command);
    expect(printed, command).toMatch(patternOf(output ?? ""));
  }
});
