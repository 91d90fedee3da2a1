/** `npm start`: checks and serves examples/shop with a demo upstream, and prints what to open and what to curl. */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { newApiKey } from "../plugins/captcha/service/verify/api-key.js";
import { startDemoUpstream } from "./demo-upstream.js";

const DEMO_PORT = 1980;
const DATA = "http://127.0.0.1:9080";
const ADMIN = "http://127.0.0.1:9180";
const STATUS = "http://127.0.0.1:7085";
const FORM = `${DATA}/register`;

const cli = fileURLToPath(new URL("../bundle/gwc.js", import.meta.url));
const key = process.env["SHOP_ADMIN_KEY"] ?? randomBytes(24).toString("base64url");
const env = {
  ...process.env,
  SHOP_ADMIN_KEY: key,
  SHOP_CAPTCHA_KEY: process.env["SHOP_CAPTCHA_KEY"] ?? newApiKey("shopdemo").key,
};

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const hello = `{"uri": "/hello", "upstream": {"type": "roundrobin", "nodes": {"127.0.0.1:${DEMO_PORT}": 1}}}`;
const CURLS = [
  ["a path parameter becomes a query of the upstream", `curl -i ${DATA}/products/blue-mug`],
  [
    "header actions, card number and internal name masked",
    `curl -i -H 'X-Debug-Token: 1' ${DATA}/orders/1042`,
  ],
  ["a gzip body filtered", `curl -i ${DATA}/reports/q3`],
  ["the gateway's own 502 rewritten", `curl -i ${DATA}/recommendations`],
  [
    "a route added live, then called",
    `curl -H 'X-API-KEY: ${key}' -X PUT ${ADMIN}/gw/admin/routes/hello -d '${hello}' && curl -i ${DATA}/hello`,
  ],
] as const;

const isReady = () =>
  fetch(`${STATUS}/status/ready`).then(
    (response) => response.ok,
    () => false,
  );

/** A gateway starts in a second; a machine with other work may take a hundred times as long. */
const START_SECONDS = 120;

async function untilReady(gateway: ReturnType<typeof spawn>): Promise<void> {
  for (let attempt = 0; attempt < START_SECONDS * 10; attempt++) {
    if (gateway.exitCode !== null) process.exit(gateway.exitCode);
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  gateway.kill("SIGTERM");
  fail(`the gateway was not ready after ${START_SECONDS} seconds; its messages stand above`);
}

const checked = spawnSync(process.execPath, [cli, "check", "examples/shop"], { stdio: "inherit", env });
if (checked.status !== 0) process.exit(checked.status ?? 1);

// Its answers would be taken for those of the gateway that is to come.
if (await isReady()) fail(`another gateway runs already: ${STATUS} answers`);
const upstream = await startDemoUpstream(DEMO_PORT).catch((error: Error) =>
  fail(`the demo upstream cannot listen on 127.0.0.1:${DEMO_PORT}: ${error.message}`),
);
const gateway = spawn(process.execPath, [cli, "run", "examples/shop"], { stdio: "inherit", env });
gateway.once("exit", (code) => {
  upstream.close();
  upstream.closeAllConnections();
  process.exitCode = code ?? 1;
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => gateway.kill(signal));

await untilReady(gateway);
process.stdout.write(`
gwc serves examples/shop

  data    ${DATA}
  admin   ${ADMIN}   X-API-KEY: ${key}
  web     ${ADMIN}/gw/ui   asks for that key
  status  ${STATUS}/status/ready

Open in a browser, a form behind the captcha (?lang=ru, ?theme=dark; /newsletter asks less):

  form    ${FORM}

Try, in another terminal:

${CURLS.map(([what, line]) => `  # ${what}\n  ${line}`).join("\n\n")}

Ctrl-C stops it.
`);
