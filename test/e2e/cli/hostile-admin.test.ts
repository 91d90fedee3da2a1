// Commands that call an admin API, with another server at its address.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CLI, useTemporaryDirectory } from "../../support/cli.js";
import { Terminal } from "../../support/terminal.js";

const KEY = "key-of-the-operator";
/** Sets the title of the window. */
const TITLE = "\x1b]0;title\x07";
const directory = useTemporaryDirectory();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(
  args: string[],
  key = KEY,
): Promise<{ code: number | null; said: string; errors: string }> {
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", GWC_ADMIN_KEY: key };
  const program = spawn(process.execPath, [CLI, ...args], { cwd: directory.path, env });
  let [said, errors] = ["", ""];
  program.stdout.on("data", (bytes: Buffer) => (said += bytes.toString("utf8")));
  program.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString("utf8")));
  const [code] = (await once(program, "close")) as [number | null];
  return { code, said, errors };
}

/** Commands that send a key. */
const commands = (admin: string): string[][] => [
  ["top", "--once", "--admin", admin],
  ["adopt", "routes/a", "--admin", admin],
  ["diff", admin, admin],
  ["export", "--admin", admin],
  ["captcha", "init", "--admin", admin],
];

describe("a command that calls the admin API", () => {
  it("a command sends its key to the given address only and follows no redirect", async () => {
    const keys: unknown[] = [];
    const elsewhere = await answering(({ headers }, response) => {
      keys.push(headers["x-api-key"]);
      response.end("{}");
    });
    const asked: unknown[] = [];
    const admin = await answering(({ url, headers }, response) => {
      asked.push(headers["x-api-key"]);
      response.writeHead(307, { Location: `${elsewhere}${url}` }).end();
    });
    for (const command of commands(admin)) {
      const { code, errors } = await run(command);
      expect(errors).toContain("redirects (307), and the key is not sent to other addresses");
      expect(code).not.toBe(0);
    }
    expect([new Set(asked), keys]).toEqual([new Set([KEY]), []]);
  });

  it("a command prints an address with a line break on one line", async () => {
    const admin = await answering((_request, response) => response.writeHead(500).end("{}"));
    for (const command of commands(`${admin}/\nforged: all is well`)) {
      const { code, said, errors } = await run(command);
      expect(code).not.toBe(0);
      expect(said + errors).not.toMatch(/^forged/m);
    }
  });

  it("a command never prints a key that no header can contain", async () => {
    const admin = await answering((_request, response) => response.end("{}"));
    for (const command of commands(admin)) {
      const { code, said, errors } = await run(command, "first-half\nother-half");
      expect(code).not.toBe(0);
      expect(errors).toContain("the key contains characters that a header cannot contain");
      expect(said + errors).not.toMatch(/first-half|other-half/);
    }
  });

  it("a command prints a rejection and its diagnostics on standard error only", async () => {
    const span = { file: "shop.yaml", start: { line: 3, column: 7 }, end: { line: 3, column: 9 } };
    const finding = {
      code: "GW2101",
      severity: "error",
      message: "no such upstream",
      span,
      notes: [],
      help: "add it",
    };
    const refusals: [object, string, string][] = [
      [
        { error_msg: "failed to check token", description: "wrong key" },
        "failed to check token: wrong key",
        "",
      ],
      [
        { error_msg: "invalid configuration", diagnostics: [finding] },
        "invalid configuration",
        "\nshop.yaml:3:7 error GW2101: no such upstream\n  help: add it",
      ],
    ];
    for (const [body, words, findings] of refusals) {
      const admin = await answering((_request, response) =>
        response.writeHead(400).end(JSON.stringify(body)),
      );
      for (const command of [...commands(admin), ["diff", admin, admin, "--format", "json"]]) {
        const { code, said, errors } = await run(command);
        const below = command[0] === "top" || command[0] === "captcha" ? "" : findings;
        expect([said, errors], command.join(" ")).toEqual([
          "",
          expect.stringContaining(`400: ${words}${below}\n`),
        ]);
        expect(errors).not.toMatch(/[{}]/);
        expect(code).toBe(command[0] === "diff" ? 2 : 1);
      }
    }
  });

  it("a command prints an HTML page by its title", async () => {
    const page = "<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body></body>\r\n</html>";
    const admin = await answering((_request, response) => response.writeHead(403).end(page));
    for (const command of commands(admin)) expect((await run(command)).errors).toMatch(/403: Forbidden\n$/);
  });

  it("a command prints no escape sequence of a response", async () => {
    const admin = await answering((_request, response) =>
      response.writeHead(500).end("\x1b]0;title\x07 \u009b2J \u202e boom"),
    );
    for (const command of commands(admin)) {
      const { code, said, errors } = await run(command);
      expect(code).not.toBe(0);
      expect(errors).toContain("boom");
      expect(said + errors).not.toMatch(/[\x07\x1b\u009b\u202e]/);
    }
  });
});

const FIGURES = {
  ...{ requests: 1, errors_4xx: 0, errors_5xx: 0, p50: 1, p95: 1, p99: 1, bytes_in: 1, bytes_out: 1 },
};
const ROW = {
  ...FIGURES,
  before: null,
  series: { requests: [1], errors_4xx: [0], errors_5xx: [0], bytes_out: [1], p50: [1], p99: [1] },
};
const NOW = { generation: 1, ready: true, reasons: [], workers: [], workers_expected: 1 };
const OVERVIEW = {
  seconds: 60,
  counted_seconds: 60,
  now: NOW,
  total: ROW,
  routes: [],
  upstreams: [],
  attention: [],
};

describe("top", () => {
  it("gwc top refuses a response that is no overview, and escapes control characters of one that is", async () => {
    const wrong: unknown[] = [
      ...[null, [], {}, "", { ...OVERVIEW, total: null }, { ...OVERVIEW, seconds: TITLE }],
      { ...OVERVIEW, now: { ...NOW, generation: TITLE } },
      { ...OVERVIEW, now: { ...NOW, workers_expected: TITLE } },
      { ...OVERVIEW, attention: [{ severity: TITLE, text: "a", action: "b" }] },
      { ...OVERVIEW, routes: [{ ...ROW, id: 7 }] },
      { ...OVERVIEW, routes: [{ ...FIGURES, id: "a" }] },
      { ...OVERVIEW, total: { ...ROW, p99: "12" } },
    ];
    let answer: unknown;
    const admin = await answering((_request, response) => response.end(JSON.stringify(answer)));
    const told = [];
    for (answer of wrong) told.push(await run(["top", "--once", "--admin", admin]));
    expect(told.map(({ code }) => code)).toEqual(wrong.map(() => 1));
    for (const { said, errors } of told) {
      expect(errors).toMatch(/^gwc: the server at \S+ is not the admin API of a gateway\n$/);
      expect(said).toBe("");
    }
    answer = { ...OVERVIEW, routes: [{ ...ROW, id: `${TITLE}\u009b2J\u202ea` }] };
    const text = await run(["top", "--once", "--admin", admin]);
    const json = await run(["top", "--once", "--format", "json", "--admin", admin]);
    expect([text.code, json.code, JSON.parse(json.said)]).toEqual([0, 0, answer]);
    for (const { said } of [text, json]) expect(said).not.toMatch(/[\x07\x1b\u009b\u202e]/);
  });

  it("gwc top stops reading a response above 8 MB", async () => {
    let sent = 0;
    const admin = await answering((_request, response) => {
      const piece = Buffer.alloc(65_536, "a");
      const more = () => {
        do sent += piece.length;
        while (response.write(piece));
      };
      response.on("drain", more);
      more();
    });
    const { code, errors } = await run(["top", "--once", "--admin", admin]);
    expect([code, errors]).toEqual([1, expect.stringContaining("is longer than 8 MB")]);
    expect(sent).toBeLessThan(100_000_000);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "gwc top restores the terminal on %s",
    async (signal) => {
      const admin = await answering((_request, response) => response.end(JSON.stringify(OVERVIEW)));
      const pid = `${directory.path}/pid`;
      const command = `sh -c 'echo $$ > "${pid}"; exec "${process.execPath}" "${CLI}" top --admin ${admin}'`;
      const screen = new Terminal(command, { ...process.env, GWC_ADMIN_KEY: KEY });
      await screen.shows(/no requests in the last 60 s/);
      process.kill(Number(readFileSync(pid, "utf8")), signal);
      await screen.ended();
      expect(screen.raw.trimEnd()).toMatch(/\x1b\[\?1049l(?:\x1b\[\?25h)+$/);
    },
  );
});
