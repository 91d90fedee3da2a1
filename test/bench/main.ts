/** `npm run bench`: measures and prints Markdown. The part "guard" has a verdict. */
import { parseArgs } from "node:util";
import { measureProxies, proxyTable } from "./proxy.js";
import { measureStreaming, streamingTable } from "./streaming.js";

const progress = (text: string) =>
  process.stderr.write(`\x1b[2K\r${text}${process.stderr.isTTY ? "" : "\n"}`);
const say = (text: string) => process.stdout.write(`${text}\n`);

const HELP = `npm run bench [-- PART …] [OPTIONS]

Parts: PARTS (default: all but guard, some hours).

  --rounds=N         of each line; the median is told
  --seconds=N        of each round
  --round-seconds=N  of each round of "log", whose --seconds are those of its steady load
  --rate=N           requests a second of that load
  --base=REVISION    of "guard": compare with this one, by default the parent of what the working tree holds
  --all              of "guard": all lines of "proxy", not the three that show most
  --only=NAME        of "log" and "captcha": the lines with this name alone
`;

const { values, positionals: asked } = askedFor();

function askedFor() {
  const word = { type: "string" } as const;
  const options = { rounds: word, seconds: word, "round-seconds": word, rate: word, only: word, base: word };
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({ allowPositionals: true, options: { ...options, all: flag, help: flag } });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

const option = (name: "rounds" | "seconds" | "round-seconds" | "rate", fallback: number) =>
  Number(values[name] ?? fallback);

const PARTS: Record<string, () => Promise<void>> = {
  async proxy() {
    const results = await measureProxies({
      rounds: option("rounds", 5),
      seconds: option("seconds", 2),
      progress,
    });
    say(`\n## CPU microseconds per request: total (user + system)\n\n${proxyTable(results)}`);
  },
  async guard() {
    const { guard } = await import("./guard.js");
    const options = {
      rounds: option("rounds", 5),
      seconds: option("seconds", 2),
      base: values.base,
      all: values.all,
      progress,
      say,
    };
    if (!(await guard(options))) process.exitCode = 1;
  },
  async streaming() {
    const options = { rounds: option("rounds", 5), seconds: option("seconds", 3), progress };
    say(`\n## Bodies through a streaming filter\n\n${streamingTable(await measureStreaming(options))}`);
  },
  async tls() {
    const { secureReport } = await import("./secure.js");
    const options = { rounds: option("rounds", 5), seconds: option("seconds", 3), progress };
    say(`\n## TLS: CPU microseconds per request\n\n${await secureReport(options)}`);
  },
  async router() {
    const { routerReport } = await import("./router.js");
    say(`\n## Route match\n\n${routerReport(progress)}`);
  },
  async build() {
    const { buildReport } = await import("./build.js");
    say(`\n## Build of 20,000 routes in 200 files\n\n${await buildReport(progress)}`);
  },
  async put() {
    const { putReport } = await import("./put.js");
    say(`\n## PUT to live at 10,000 routes\n\n${await putReport(progress)}`);
  },
  async heap() {
    const { heapReport } = await import("./put.js");
    say(`\n## 10,000 updates of one route\n\n${await heapReport(progress)}`);
  },
  async records() {
    const { recordsReport } = await import("./records.js");
    say(`\n## Records\n\n${recordsReport()}`);
  },
  async captcha() {
    const { verifyReport } = await import("./captcha-verify.js");
    const options = { seconds: option("seconds", 5), only: values.only };
    say(`\n## Captcha: verification\n\n${await verifyReport(progress, options)}`);
    const { floodReport } = await import("./captcha-flood.js");
    const { sessionsReport } = await import("./captcha-sessions.js");
    say(`\n## Captcha: visitors\n\n${await sessionsReport(progress)}`);
    say(`\n## Captcha: verification among requests for tasks\n\n${await floodReport(progress, options)}`);
    const { tasksReport } = await import("./captcha-tasks.js");
    say(`\n## Captcha: tasks\n\n${await tasksReport(progress, options)}`);
    const { browserReport } = await import("./captcha-browser.js");
    say(`\n## Captcha: browsers\n\n${await browserReport(progress)}`);
  },
  async dashboard() {
    const { dashboardReport } = await import("./dashboard.js");
    say(`\n## The web interface at 10,000 routes\n\n${await dashboardReport(progress)}`);
  },
  async log() {
    const { logReport } = await import("./log.js");
    const options = {
      rounds: option("rounds", 5),
      seconds: option("round-seconds", 2),
      steadySeconds: option("seconds", 60),
      rate: option("rate", 15_000),
      progress,
    };
    say(`\n## Loggers: CPU microseconds per request\n\n${await logReport(options, values.only)}`);
  },
};

if (values.help) {
  say(HELP.replace("PARTS", Object.keys(PARTS).join(", ")));
  process.exit(0);
}
const parts = asked.length > 0 ? asked : Object.keys(PARTS).filter((part) => part !== "guard");
const unknown = parts.find((part) => !Object.hasOwn(PARTS, part));
if (unknown !== undefined) {
  process.stderr.write(`unknown part "${unknown}"; parts are: ${Object.keys(PARTS).join(", ")}\n`);
  process.exit(2);
}
for (const part of parts) await PARTS[part]?.();
