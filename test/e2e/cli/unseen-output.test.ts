import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

/**
 * Code points of DEL, C1, bidi marks, separators and zero-width characters; this file contains none of them
 * itself.
 */
const CODES = [0x7f, 0x85, 0x9b, 0x9f, 0x61c, 0x200b, 0x200e, 0x2028, 0x2029, 0x202e, 0x2060, 0x2066, 0xfeff];
/** Includes an escape sequence and a line end, which no value may put into a text report. */
const TEXT = `${String.fromCharCode(...CODES)}\u001b[31m\r\nforged`;
const FIELD = String.fromCharCode(...CODES.filter((code) => code > 0x7f));
const TURNED = "\u202e";

const RAW = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]/;
const ENVIRONMENT = { GW_SAID: "said-by-the-environment" };

const directory = useTemporaryDirectory();

const configuration = (side: string) => ({
  upstreams: [{ id: "u", desc: TEXT, nodes: { "10.0.0.1:80": 1 } }],
  consumers: [{ username: "ann", plugins: { "key-auth": { key: `the-key-of-ann-${side}` } } }],
  global_rules: [
    { id: "all", plugins: { "response-rewrite": { headers: { set: { "X-G": `${FIELD}${side}` } } } } },
  ],
  routes: [
    {
      ...{ id: "r", name: `${TEXT}${side}`, desc: TEXT, uri: `/r${FIELD}`, upstream_id: "u" },
      vars: [
        ["arg_a", "==", `${TEXT}${side}`],
        ["http_x", "~=", `${FIELD}${side}`],
        ["http_x_api_key", "~=", `asked-for-${side}`],
      ],
      plugins: {
        "proxy-rewrite": {
          headers: {
            set: {
              "X-In": `${FIELD}${side}`,
              "X-Env": "${{GW_SAID}}",
              Authorization: `Bearer written-out-${side}`,
            },
          },
        },
        "response-rewrite": { body: `${TEXT}${side} $route_name` },
        syslog: { host: "127.0.0.1", port: 514, log_format: { [`${TEXT}${side}`]: `${TEXT}$route_name` } },
        "http-logger": { uri: "http://127.0.0.1:1/", auth_header: `Bearer of-the-logger-${side}` },
      },
    },
    { id: `s${side}`, name: TEXT, uri: "/s", upstream_id: "u", plugins: { "key-auth": {} } },
    { id: "t", uri: "/t", upstream_id: "u", plugins: { "response-rewrite": { body: `${TEXT}${side}` } } },
  ],
});

function write(side: string, written: object): void {
  mkdirSync(join(directory.path, side), { recursive: true });
  // DEL is refused as it is (GW1006) and accepted as an escape.
  const text = JSON.stringify(written, null, 1).replaceAll("\u007f", "\\u007f");
  writeFileSync(join(directory.path, side, "gateway.json"), text);
}

/** Output of a command on both streams. */
function printed(...args: string[]): string {
  const { stdout, stderr } = gwc(directory.path, args, ENVIRONMENT);
  return `${stdout}${stderr}`;
}

describe("output of gwc plan and gwc diff", () => {
  const before = `a${TURNED}`;

  beforeEach(() => {
    write(before, configuration("1"));
    write("b", configuration("2"));
    write(`broken${TURNED}`, { routes: [{ id: "r", uri: "/r", name: TEXT, upstream_id: TEXT, [TEXT]: 1 }] });
  });

  it.each([
    ["plan", "b"],
    ["plan", "--route", "r", "b"],
    ["plan", "--route", `q${TEXT}`, "b"],
    ["diff", before, "b"],
    ["diff", "-q", before, `nowhere${TURNED}`],
    ["diff", "-q", before, `nobody${TURNED}:a`],
    ["explain-route", "r", "-c", "b"],
    ["explain-route", `q${TEXT}`, "-c", "b"],
    ["route", "GET", "http://x/t", "-c", "b"],
    ["diff", "--format", "json", before, "b"],
    ["diff", "--format", "markdown", before, "b"],
    ["diff", "b", `broken${TURNED}`],
    ["plan", `broken${TURNED}`],
    ["plan", "--format", "json", `broken${TURNED}`],
    ["plan", "--format", "sarif", `broken${TURNED}`],
    ["plan", "--format", "github", `broken${TURNED}`],
  ])("gwc prints no control or invisible character of a configuration, command %#", (...args) => {
    const text = printed(...args);
    expect(text).not.toBe("");
    expect(text).not.toMatch(RAW);
    expect(text).not.toMatch(CONTROLS);
    expect(text).not.toMatch(/^forged/m);
  });

  it("gwc diff --color always prints no control character of a configuration between colours", () => {
    const text = printed("diff", "--color", "always", before, "b");
    expect(text).not.toMatch(RAW);
    expect(text.replace(/\u001b\[(?:0|1|2|3[123])m/g, "").replaceAll("forged", "")).not.toMatch(CONTROLS);
  });

  it("gwc plan prints control characters as JSON escapes that programs read back", () => {
    const { stdout } = gwc(directory.path, ["plan", "b"], ENVIRONMENT);
    const plan = JSON.parse(stdout) as { routes: { row: { id: string; name?: string } }[] };
    expect(plan.routes.find(({ row }) => row.id === "r")?.row.name).toBe(`${TEXT}2`);
  });

  it.each([
    ["plan", "b"],
    ["plan", "--route", "r", "b"],
    ["diff", before, "b"],
    ["diff", "--format", "json", before, "b"],
    ["diff", "--format", "markdown", before, "b"],
    ["explain-route", "r", "-c", "b"],
    ["explain-route", "--format", "json", "r", "-c", "b"],
  ])("gwc prints no secret of a configuration, command %#", (...args) => {
    expect(printed(...args)).not.toMatch(
      /the-key-of-ann|said-by-the-environment|written-out|of-the-logger|asked-for/,
    );
  });
});

describe("output of command line arguments", () => {
  beforeEach(() => {
    write("b", configuration("1"));
    write(TURNED, configuration("1"));
    writeFileSync(join(directory.path, "two\nforged"), "two keys");
  });

  const NAMED = `q${TEXT}`;
  it.each([
    [NAMED],
    ["check", `--${NAMED}`],
    ["check", NAMED],
    ["check", "--format", NAMED, "b"],
    ["run", "--workers", NAMED, "b"],
    ["run", NAMED],
    ["verify", NAMED],
    ["verify", "b", "--key", NAMED],
    ["verify", "--format", "json", NAMED],
    ["schema", NAMED],
    ["explain", NAMED],
    ["build", "--out", `${TURNED}\u001b[31m\nforged`, "b", "--no-type-check"],
    ["build", "--out", "dist", "b", "--sign", NAMED],
    ["init", `${TURNED}\u001b[31m\nforged`],
    ["init", `b/gateway.json/${TURNED}\u001b[31m\nforged`],
    ["new", "plugin", NAMED],
    ["new", "plugin", "two-words", `${TURNED}\u001b[31m\nforged`],
    ["new", "plugin", "two-words", `b/gateway.json/${TURNED}\u001b[31m\nforged`],
    ["build", "--out", `b/gateway.json/${TURNED}\u001b[31m\nforged`, "b", "--no-type-check"],
    ["test", "--record", "http://x/t", "--into", `nowhere/${TURNED}\u001b[31m\nforged`, "b"],
    ["diff", "-q", "b", `nowhere\nforged`],
    ["diff", "-q", "b", `nobody\nforged:a`],
    ["export", "--key", NAMED],
    ["spool", "drain", "--directory", `b/gateway.json/${TURNED}\u001b[31m\nforged`],
    ["top", "--once", "--key-file", `two\nforged`],
    ["ui", "--key-file", `nowhere/${TURNED}\u001b[31m\nforged`],
    ["test-plugin", NAMED],
    ["test", "b", "--filter", NAMED],
    ["test", "--format", "json", NAMED],
    ["adopt", NAMED],
    ["export", "--admin", `http://127.0.0.1:1/${NAMED}`],
    ["spool", "show", "--directory", NAMED],
    ["spool", "purge", NAMED, "--directory", "b"],
    ["captcha", "init", "--customer", NAMED, "--hostname", NAMED],
    ["captcha", "init", "--hostname", NAMED],
    ["captcha", "init", "--hostname", NAMED, "--format", "json"],
    ["captcha", "init", "--url", NAMED],
    ["captcha", "init", "--out", TURNED],
    ["captcha", "init", "--out", `${TURNED}\u001b[31m\nforged`],
    ["captcha", "init", "--out", `nowhere/${TURNED}\u001b[31m\nforged`],
    ["captcha", "init", "--out", `b/gateway.json/${TURNED}\u001b[31m\nforged`],
    ["captcha", "init", "--out", `${"long".repeat(100)}\nforged`],
    ["captcha", "init", "--admin", `http://127.0.0.1:1/${NAMED}`],
    ["captcha", "script", "--url", NAMED],
    ["captcha", "rotate", "--admin", `http://127.0.0.1:1/${NAMED}`],
    ["ui", "--port", NAMED],
    ["top", "--admin", NAMED],
    ["top", "--once", "--key-file", NAMED],
    ["completion", NAMED],
  ])("gwc prints no control or invisible character of its arguments, command %#", (...args) => {
    const text = printed(...args);
    expect(text).not.toBe("");
    expect(text).not.toMatch(RAW);
    expect(text).not.toMatch(CONTROLS);
    expect(text).not.toMatch(/^forged/m);
  });

  it("gwc verify --format json prints control characters as JSON escapes", () => {
    const { stdout } = gwc(directory.path, ["verify", "--format", "json", NAMED]);
    expect((JSON.parse(stdout) as { directory: string }).directory).toBe(NAMED);
  });
});
