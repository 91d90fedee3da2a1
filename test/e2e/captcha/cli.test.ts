import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { type Finished, gwc, temporaryDirectory } from "../../support/cli.js";
import { freePort } from "../../support/ports.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";
import { CaptchaGateway, SITE_KEY } from "./captcha-gateway.js";

/** Secret of the services: tests without a browser compute the program's answer with it. */
const SECRET = "a secret of the cli test";

interface Made {
  captcha_url: string;
  site_key: string;
  api_key: { id: string; key: string };
  configuration?: string;
  html: string;
  backends: Record<string, string>;
}

describe("gwc captcha init", () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let gateway: ProcessGateway | undefined;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(async () => {
    await gateway?.end();
    gateway = undefined;
    directory.remove();
  });
  const init = (...args: string[]) => gwc(directory.path, ["captcha", "init", ...args]);
  const made = ({ stdout }: Finished) => JSON.parse(stdout) as Made;

  it("gwc captcha init makes keys that work in the configuration it prints", async () => {
    const port = await freePort();
    const { configuration, site_key, api_key } = made(init("--format", "json"));
    process.env["CAPTCHA_API_KEY"] = api_key.key;
    gateway = await ProcessGateway.prepare({}, { workers: 1 });
    const listening = (configuration ?? "").replace(
      "captcha: {}",
      `captcha: { listen: { port: ${port} }, secret: ${SECRET} }`,
    );
    writeFileSync(join(gateway.directory, "captcha.yaml"), listening);
    await gateway.open({ paths: ["gateway.json", "captcha.yaml"] });
    const url = `http://127.0.0.1:${port}`;
    const token = await tokenFrom(url, site_key, { secret: SECRET });
    const headers = { "X-Api-Key": api_key.key };
    const answer = await exchange(port, "GET", `/${site_key}/verify?jwt=${token}`, undefined, headers);
    expect(answer.json).toMatchObject({ success: true, site_key });
  });

  it("gwc captcha init --digest prints a configuration with a keyed hash that works, and needs captcha.secret", async () => {
    const port = await freePort();
    const digest = ["captcha", "init", "--digest", "--format", "json"];
    const printed = gwc(directory.path, digest, { GW_CAPTCHA_SECRET: SECRET });
    const { configuration = "", site_key, api_key } = made(printed);
    expect(configuration).not.toContain("${{");
    gateway = await ProcessGateway.prepare({}, { workers: 1 });
    const section = `captcha: { listen: { port: ${port} }, secret: ${SECRET} }`;
    writeFileSync(join(gateway.directory, "captcha.yaml"), configuration.replace("captcha: {}", section));
    await gateway.open({ paths: ["gateway.json", "captcha.yaml"] });
    const token = await tokenFrom(`http://127.0.0.1:${port}`, site_key, { secret: SECRET });
    const headers = { "X-Api-Key": api_key.key };
    const answer = await exchange(port, "GET", `/${site_key}/verify?jwt=${token}`, undefined, headers);
    expect(answer.json["success"]).toBe(true);
    expect(gwc(directory.path, digest).status).toBe(2);
  });

  it("gwc captcha init writes once a file that passes gwc check and holds no secret", () => {
    const args = ["--out", "captcha.yaml", "--hostname", "example.com", "example.org", "--customer", "shop"];
    const first = init(...args, "--url", "https://captcha.example.com");
    expect(first.status).toBe(0);
    const key = /export CAPTCHA_API_KEY=(spk_\S+)/.exec(first.stdout)?.[1] ?? "";
    const written = readFileSync(join(directory.path, "captcha.yaml"), "utf8");
    expect(written).not.toContain(key.slice(13));
    expect(gwc(directory.path, ["check", "--strict", "captcha.yaml"], { CAPTCHA_API_KEY: key }).status).toBe(
      0,
    );
    const second = init(...args);
    expect([second.status, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toContain("captcha.yaml already exists");
    expect(readFileSync(join(directory.path, "captcha.yaml"), "utf8")).toBe(written);
  });

  it("gwc captcha init prints the HTML to paste and the lines of every backend, filled in", () => {
    const all = made(init("--url", "https://captcha.example.com/", "--format", "json"));
    expect(all.html).toBe(
      '<script src="https://captcha.example.com/captcha.js" async defer></script>\n' +
        `<div class="sp-captcha" data-sitekey="${all.site_key}" data-response-field></div>\n`,
    );
    expect(Object.keys(all.backends)).toEqual(["node", "python", "php", "go", "java"]);
    for (const lines of Object.values(all.backends)) {
      expect(lines).toContain(`https://captcha.example.com/${all.site_key}/verify?`);
      expect(lines).toContain("CAPTCHA_API_KEY");
      expect(lines).not.toMatch(/8<|>8|\{captcha_url\}|\{site_key\}/);
      expect(lines).not.toContain(all.api_key.key);
    }
    const text = init("--backend", "go").stdout;
    expect(text).toContain("func passedCaptcha");
    expect(text).not.toContain("def passed_captcha");
  });

  it("gwc captcha init exits with 2 on invalid arguments, and with 1 and a message without a gateway", () => {
    for (const args of [
      ["--url", "https://a/b"],
      ["--customer", "a b"],
      ["--backend", "cobol"],
      ["--nonsense"],
    ])
      expect(init(...args).status).toBe(2);
    const nobody = init("--admin", "http://127.0.0.1:1");
    expect(nobody.status).toBe(1);
    expect(nobody.stderr).toContain("no gateway responds at http://127.0.0.1:1");
    expect(gwc(directory.path, ["captcha", "--help"]).stdout).toContain("gwc captcha init --admin");
  });
});

describe("with a running gateway", () => {
  let captcha: CaptchaGateway;
  beforeAll(async () => {
    captcha = await CaptchaGateway.start({ secret: SECRET });
  });
  afterAll(() => captcha.end());
  const run = (args: string[], key = ProcessGateway.KEY) =>
    gwc(
      captcha.gateway.directory,
      ["captcha", ...args, "--admin", `http://127.0.0.1:${captcha.gateway.adminPort}`],
      {
        GWC_ADMIN_KEY: key,
      },
    );

  it("gwc captcha init --admin makes keys that work at once", async () => {
    const finished = run(["init", "--format", "json"]);
    const { captcha_url, site_key, api_key, configuration } = JSON.parse(finished.stdout) as Made;
    expect(configuration).toBeUndefined();
    expect(captcha_url).toBe(captcha.url);
    const token = await tokenFrom(captcha.url, site_key, { secret: SECRET });
    const answer = await captcha.verify(token, { apiKey: api_key.key, path: site_key });
    expect(answer.json["success"]).toBe(true);
  });

  it("gwc captcha rotate makes a new signing key, and needs the admin key", async () => {
    const before = await tokenFrom(captcha.url, SITE_KEY);
    const { kid } = JSON.parse(run(["rotate", "--format", "json"]).stdout) as { kid: string };
    const [header = ""] = (await tokenFrom(captcha.url, SITE_KEY)).split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toMatchObject({ kid });
    expect((await captcha.verify(before)).json["success"]).toBe(true);
    const refused = run(["rotate"], "wrong");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("rejects the key");
  });

  it("[A80] gwc captcha script prints the integrity of the served file, which is immutable", async () => {
    const printed = gwc(captcha.gateway.directory, ["captcha", "script", "--url", captcha.url]);
    const [, path = "", integrity = ""] =
      /^<script src="http:\/\/[^/"]+(\/captcha-[^"]+\.[0-9a-f]+\.js)" integrity="([^"]+)" crossorigin="anonymous" async defer><\/script>\n$/.exec(
        printed.stdout,
      ) ?? [];
    const served = await exchange(captcha.port, "GET", path);
    expect(served.status).toBe(200);
    expect(integrity).toBe(`sha384-${createHash("sha384").update(served.text).digest("base64")}`);
    expect(served.headers["cache-control"]).toContain("immutable");
    expect(served.headers["access-control-allow-origin"]).toBe("*");
    expect(
      (await exchange(captcha.port, "GET", path.replace(/\.[0-9a-f]+\.js$/, ".0000000000000000.js"))).status,
    ).toBe(404);
  });
});
