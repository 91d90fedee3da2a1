import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtFile } from "../../abi/built-file.js";
import { takesCoding } from "../../http/codings.js";
import { type ApiResponse, failure, page } from "./answer.js";

export const DASHBOARD = "/gw/ui";

/** File of the interface, as `runtime/dashboard/build.mjs` lists it. */
interface BuiltFile {
  type: string;
  codings: readonly ("br" | "gzip")[];
}

const SUFFIX = { br: ".br", gzip: ".gz" };
const NONCE = "__GWC_NONCE__";
/** Placeholder for whether the page asks for a key: "asked" or "none". */
const KEY = "__GWC_KEY__";

/** Returns the absolute path of the built interface; undefined if it is not built. */
function builtFolder(): string | undefined {
  const manifest = builtFile(new URL("../../dashboard/pages/manifest.json", import.meta.url));
  return existsSync(manifest) ? fileURLToPath(new URL(".", manifest)) : undefined;
}

/** Files of the interface, each read at its first request, so that an unused interface takes no memory. */
class Pages {
  readonly #folder: string;
  readonly #files: Readonly<Record<string, BuiltFile>>;
  readonly #read = new Map<string, Buffer>();
  readonly #index: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#files = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Record<
      string,
      BuiltFile
    >;
    this.#index = readFileSync(join(folder, "index.html"), "utf8");
  }

  /** Assets never change: their names contain a hash. */
  asset(name: string, accepted: string): ApiResponse | undefined {
    const file = Object.hasOwn(this.#files, name) ? this.#files[name] : undefined;
    if (file === undefined) return undefined;
    const coding = file.codings.find((one) => takesCoding(accepted, one));
    return {
      status: 200,
      type: file.type,
      body: this.#bytes(coding === undefined ? name : `${name}${SUFFIX[coding]}`),
      headers: {
        ...FIELDS,
        "Cache-Control": "public, max-age=31536000, immutable",
        Vary: "Accept-Encoding",
        ...(coding !== undefined && { "Content-Encoding": coding }),
      },
    };
  }

  index(isKeyAsked: boolean): ApiResponse {
    const nonce = randomBytes(16).toString("base64");
    return {
      status: 200,
      type: "text/html; charset=utf-8",
      body: this.#index.replaceAll(NONCE, nonce).replace(KEY, isKeyAsked ? "asked" : "none"),
      headers: { ...FIELDS, "Cache-Control": "no-store", "Content-Security-Policy": policy(nonce) },
    };
  }

  #bytes(name: string): Buffer {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const bytes = readFileSync(join(this.#folder, "assets", name));
    this.#read.set(name, bytes);
    return bytes;
  }
}

const FIELDS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/**
 * Content security policy: nothing from other origins, only scripts of the build, no framing. The UI kit
 * inserts its colours in a style element, which carries the nonce.
 */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

let pages: Pages | undefined;

/** Serves an asset by its name, otherwise the single page, whose script renders the path after `/gw/ui`. */
export function dashboard(path: string, accepted: string | string[] = "", isKeyAsked = true): ApiResponse {
  const folder = pages === undefined ? builtFolder() : undefined;
  if (folder !== undefined) pages = new Pages(folder);
  if (pages === undefined) return failure(503, "the web interface is not built: run `npm run build`");
  const [, asset] = /^\/assets\/(.*)$/.exec(path) ?? [];
  if (asset !== undefined) return pages.asset(asset, String(accepted)) ?? page(404, "Not Found");
  return pages.index(isKeyAsked);
}
