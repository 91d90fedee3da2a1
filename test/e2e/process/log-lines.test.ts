import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { textLine } from "../../../runtime/process/log.js";
import { CLI } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(async () => {
  delete process.env["NODE_OPTIONS"];
  await gateway.end();
});

const ROUTES = { routes: [{ id: "own", uri: "/own", plugins: { "response-rewrite": { body: "own" } } }] };

/** Parses every line as JSON. */
function linesOf(text: string): Record<string, unknown>[] {
  const lines = text.trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Runs `gwc run` with standard error on a terminal until it serves; returns the text of the terminal. */
async function onTerminal(args: string[], environment: Record<string, string> = {}): Promise<string> {
  const command = JSON.stringify([process.execPath, CLI, "run", "gateway.json", ...args]);
  const terminal = `import json, pty; pty.spawn(json.loads(${JSON.stringify(command)}))`;
  const env = { ...process.env, GW_TEST_KEY: ProcessGateway.KEY, ...environment };
  const child = spawn("python3", ["-c", terminal], {
    cwd: gateway.directory,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (data: Buffer) => (text += data));
  gateway.process = child;
  const ended = once(child, "close");
  try {
    await until(() => /ready.*generation/.test(text));
  } finally {
    child.stdin.write("\x03");
    await ended;
  }
  return text;
}

describe("each line of the log", () => {
  it("each log line is JSON with time, level and event, also for warnings of Node and diagnostics", async () => {
    // Waits until the process listens to warnings itself: Node prints earlier ones.
    const warns = `import { isMainThread } from "node:worker_threads";
      const timer = isMainThread && setInterval(() => {
        if (process.listeners("warning")[0]?.name === "onWarning") return;
        clearInterval(timer);
        process.emitWarning("from-inside");
      }, 50).unref();`;
    process.env["NODE_OPTIONS"] = `--import data:text/javascript,${encodeURIComponent(warns)}`;
    gateway = await ProcessGateway.start(ROUTES);
    await until(() => gateway.log("node_warning").length > 0);
    writeFileSync(join(gateway.directory, "gateway.json"), '{"gw":{"workers":"many"},\n"routes":[{"id":1}]}');
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reload_refused").length > 0);
    await gateway.stop();
    for (const line of linesOf(gateway.errors)) {
      expect(line).toMatchObject({
        level: expect.stringMatching(/^(?:error|warn|info)$/),
        pid: expect.any(Number),
      });
      expect(line["event"]).toMatch(/^[a-z_]+$/);
      expect(new Date(String(line["time"])).toISOString()).toBe(line["time"]);
    }
    expect(gateway.log("node_warning")[0]).toMatchObject({ level: "warn", reason: "from-inside" });
    expect(gateway.log("ready")[0]?.["level"]).toBe("info");
    expect(gateway.log("diagnostic").map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^gateway\.json:1:\d+ error GW2103/)]),
    );
  });

  it("log lines of a refused start are JSON", async () => {
    gateway = await ProcessGateway.prepare({ routes: [{ id: "a", uri: "no-slash" }] });
    gateway.launch();
    await once(gateway.process, "close");
    expect(linesOf(gateway.errors).map(({ event }) => event)).toContain("start_refused");
    expect(gateway.log("diagnostic")[0]).toMatchObject({ level: "error" });
  });

  it("a log line on a terminal is readable text, with colours unless NO_COLOR or --color disables them", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    const coloured = await onTerminal([]);
    expect(coloured).toMatch(/\d\d:\d\d:\d\d\.\d{3}\x1b\[0m \x1b\[32minfo \x1b\[0m \x1b\[1mready\x1b\[0m /);
    const plain = await onTerminal([], { NO_COLOR: "1" });
    expect(plain).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}ready generation=1\r$/m);
    expect(await onTerminal(["--color", "never"])).not.toContain("\x1b[");
    expect(await onTerminal(["--log-format", "json"])).toMatch(/^\{"time":".*"event":"ready"/m);
  });

  it("a log line on a terminal escapes control characters of its values", () => {
    const line = textLine(
      { time: "2026-01-02T03:04:05.006Z", event: "x", a: "1 \x1b[31m", b: "two\n\x9bc" },
      false,
    );
    expect(line).toBe('03:04:05.006 warn  x a="1 \\u001b[31m" b:\n    two\n    \\u009bc');
  });
});
