import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceFile } from "../../../runtime/abi/plugin-api.js";
import { complain, printJson, visible, visibleLine } from "../../../runtime/process/contribution-api.js";
import { widgetManifest } from "../service/assets/manifest.js";
import { AdminCallError, type AdminOptions, callAdmin } from "./admin.js";
import { createdKeys, type NewKeys, newKeys, yamlOf } from "./new-keys.js";

/** Complete examples in `examples/`, by the names of `--backend`. */
export const BACKENDS = {
  node: { title: "Node", file: "node.mjs" },
  python: { title: "Python", file: "python.py" },
  php: { title: "PHP", file: "php.php" },
  go: { title: "Go", file: "go.go" },
  java: { title: "Java", file: "Java.java" },
} as const;
export type Backend = keyof typeof BACKENDS;

export interface Place {
  url: string;
  siteKey: string;
}

const EXAMPLES = fileURLToPath(sourceFile(new URL("../examples/", import.meta.url)));

/** Lines for the user's code: those between "8<" and ">8" in the example, without indentation. */
export function lines(file: string, place: Place): string {
  const cuts = example(file, place).matchAll(/^.*8<.*\n([\s\S]*?)^.*>8.*$/gm);
  return Array.from(cuts, ([, text = ""]) => unindented(text)).join("");
}

export function example(file: string, { url, siteKey }: Place): string {
  return readFileSync(join(EXAMPLES, file), "utf8")
    .replaceAll("{captcha_url}", url)
    .replaceAll("{site_key}", siteKey);
}

function unindented(text: string): string {
  const indents = text.match(/^[ \t]*(?=\S)/gm) ?? [""];
  const shortest = indents.reduce((a, b) => (b.length < a.length ? b : a));
  return text.replace(new RegExp(`^${shortest}`, "gm"), "").replace(/\n+$/, "\n");
}

type Format = "text" | "json";

export interface InitOptions extends Partial<AdminOptions> {
  customer: string;
  hostname: string[];
  url?: string;
  backend: Backend[];
  out?: string;
  /** Writes the digest of the API key into the configuration, made with the environment's captcha.secret. */
  digest?: boolean;
  format: Format;
}

/** URL of a section `captcha` without settings. */
const DEFAULT_URL = "http://127.0.0.1:9088";
/** Variable with the text of `captcha.secret`, and its minimum length (captcha.json). */
const SECRET = "GW_CAPTCHA_SECRET";
const MIN_SECRET = 16;

/** `gwc captcha init`: creates a customer, a site key and an API key. */
export async function init(options: InitOptions): Promise<number> {
  const fault = usageFault(options);
  if (fault !== undefined) return misused(fault);
  const url = options.url === undefined ? undefined : originOf(options.url);
  const { customer, hostname: hostnames, backend: backends, out } = options;
  const secret = options.digest === true ? process.env[SECRET] : undefined;
  return reporting(async () => {
    const admin = adminOf(options);
    const keys = await (admin
      ? createdKeys({ customer, hostnames }, admin)
      : newKeys({ customer, hostnames }));
    const yaml = admin ? undefined : yamlOf(keys, { url, secret });
    if (out !== undefined && yaml !== undefined) writeFileSync(out, yaml, { flag: "wx" });
    const place = { url: url ?? (admin ? await runningUrl(admin) : DEFAULT_URL), siteKey: keys.siteKey };
    const made: Made = { keys, yaml, place, backends, out, digest: secret !== undefined };
    if (options.format === "json") printJson(shownIn(made));
    else process.stdout.write(visible(asText(made)));
    return 0;
  });
}

function usageFault({ url, customer, digest }: InitOptions): string | undefined {
  if (url !== undefined && originOf(url) === undefined) return notAnOrigin(url);
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(customer))
    return "--customer must be 1 to 64 letters, digits, '-', '_' and '.'";
  if (digest === true && (process.env[SECRET] ?? "").length < MIN_SECRET)
    return `--digest requires captcha.secret in ${SECRET}: at least ${MIN_SECRET} characters`;
  return undefined;
}

const notAnOrigin = (url: string) =>
  `--url must be an origin such as https://captcha.example.com, not "${url}"`;

function adminOf({ admin, key }: InitOptions): AdminOptions | undefined {
  return admin === undefined ? undefined : { admin, ...(key !== undefined && { key }) };
}

async function runningUrl(admin: AdminOptions): Promise<string> {
  const { url } = await callAdmin(admin, "GET", "captcha/stats");
  return String(url);
}

interface Made {
  /** The gateway needs no variable for the key. */
  digest: boolean;
  keys: NewKeys;
  /** Undefined if a running gateway already has the keys. */
  yaml: string | undefined;
  place: Place;
  backends: readonly Backend[];
  out: string | undefined;
}

const HTML = "page.html";
const environmentLine = ({ apiKey }: NewKeys) => `export CAPTCHA_API_KEY=${apiKey.text}`;

function shownIn({ keys, yaml, place, backends }: Made): object {
  const { customer, siteKey, hostnames, apiKey } = keys;
  return {
    captcha_url: place.url,
    customer,
    site_key: siteKey,
    hostnames,
    api_key: { id: apiKey.id, key: apiKey.text },
    ...(yaml !== undefined && { configuration: yaml }),
    html: lines(HTML, place),
    backends: Object.fromEntries(backends.map((name) => [name, lines(BACKENDS[name].file, place)])),
  };
}

function asText({ digest, keys, yaml, place, backends, out }: Made): string {
  const configured =
    yaml === undefined
      ? ["The keys are in the store of the running gateway and are active.\n"]
      : out === undefined
        ? ["1. Add this to the configuration of the gateway:\n", indented(yaml)]
        : [`1. ${visibleLine(out)} contains the configuration, without secrets.\n`];
  const secret = "the API key, which is shown only once. It can verify all tokens of this customer";
  return [
    ...configured,
    `\n2. Give ${digest || yaml === undefined ? "the backend" : "gateway and backend"} ${secret}:\n`,
    indented(environmentLine(keys)),
    "\n3. Add this to the page, the script to its head and the div to the form:\n",
    indented(lines(HTML, place)),
    `\n4. Verify the token in the backend before it acts. The token is the form field "captcha-token":\n`,
    ...backends.flatMap((name) => [
      `\n   ${BACKENDS[name].title}\n`,
      indented(lines(BACKENDS[name].file, place)),
    ]),
    `\nIf the captcha does not respond, the code above throws: decide if the backend accepts the form then.\n`,
    ...(yaml === undefined ? [] : ["\nNext: gwc check, then gwc run. docs/captcha/ explains the rest.\n"]),
  ].join("");
}

function indented(text: string): string {
  return `\n${text.trimEnd().replace(/^(?=.)/gm, "     ")}\n`;
}

/** `gwc captcha rotate` */
export async function rotate(options: AdminOptions & { format: Format }): Promise<number> {
  return reporting(async () => {
    const { kid } = await callAdmin(options, "POST", "captcha/signing-keys");
    if (options.format === "json") printJson({ kid });
    else {
      const key = visibleLine(String(kid));
      process.stdout.write(
        `new tokens are signed with key ${key}; existing tokens stay valid until they expire\n`,
      );
    }
    return 0;
  });
}

/** `gwc captcha script`: script tag with `integrity`, for pages that pin scripts. */
export async function script(options: { url?: string; format: Format }): Promise<number> {
  const url = originOf(options.url ?? DEFAULT_URL);
  if (url === undefined) return misused(notAnOrigin(options.url ?? ""));
  return reporting(async () => {
    const { file, integrity } = widgetManifest().files["captcha.js"];
    const src = `${url}/${file}`;
    const tag = `<script src="${src}" integrity="${integrity}" crossorigin="anonymous" async defer></script>`;
    if (options.format === "json") printJson({ src, integrity, html: tag });
    else process.stdout.write(`${tag}\n`);
    return 0;
  });
}

function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname, search, hash } = new URL(url);
  const isOrigin = ["http:", "https:"].includes(protocol) && pathname === "/" && search === "" && hash === "";
  return isOrigin ? origin : undefined;
}

function misused(message: string): number {
  complain(message);
  return 2;
}

async function reporting(action: () => Promise<number>): Promise<number> {
  try {
    return await action();
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") complain(`${path} already exists; nothing was written`);
    else if (error instanceof AdminCallError) complain(error.message);
    else throw error;
    return 1;
  }
}
