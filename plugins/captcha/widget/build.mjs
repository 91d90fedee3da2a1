/**
 * Bundles the browser source into `.build/plugins/captcha/widget/assets/`: one minified script for each
 * environment, the style sheets, compressed copies, and `manifest.json`. Names contain a hash of the content,
 * so that they can be cached for ever.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "rolldown";

const source = fileURLToPath(new URL(".", import.meta.url));
const output = fileURLToPath(new URL("../../../.build/plugins/captcha/widget/assets/", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

/**
 * Syntax level. Chrome 84, Firefox 90 and Safari 15 support classes with private members. Rewritten for older
 * ones they made the loader a tenth larger (8.5 instead of 7.8 kB compressed, when it was measured).
 */
const TARGET = "es2022";

/** Private members of the loader, which may be shortened: no DOM object and no message has one of these names. */
const OWN_NAMES =
  /^(?:siteKey|options|container|callbacks|submitted|monotonic|wall|modal|base|dismissed|isOpenFor|reported|suspend|press|spin|warnings|settings|draw|isDrawn|isLost|isWhole|isFree|put|empty|spare|isMarked|removeCopies|blocked|watch|scan|returned|clock|after|check|field|fault|success|closed|label)$/;

const scripts = {
  captcha: "loader/captcha.ts",
  box: "box/box.ts",
  task: "task/task.ts",
  pow: "pow/worker.ts",
  memory: "pow/memory-worker.ts",
};
const styles = { box: ["shared/base.css", "box/box.css"], task: ["shared/base.css", "task/task.css"] };

async function script(entry, minify = true) {
  const { output: chunks } = await build({
    input: source + entry,
    write: false,
    platform: "browser",
    transform: { target: TARGET },
    output: { format: "iife", minify, codeSplitting: false },
  });
  if (chunks.length !== 1) throw new Error(`${entry} became ${chunks.length} files`);
  return chunks[0].code.trim();
}

/** Sufficient, since our sheets have neither strings with blanks nor comments inside values. */
function style(parts) {
  return parts
    .map((part) => readFileSync(source + part, "utf8"))
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,>]) ?/g, "$1")
    .replace(/: /g, ":")
    .replace(/;}/g, "}")
    .trim();
}

function asset(name, text) {
  const bytes = Buffer.from(text);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const [stem, extension] = name.split(".");
  // The loader's name is at the root of the service and contains its version for those who pin it.
  const file =
    name === "captcha.js"
      ? `captcha-${version}.${sha256.slice(0, 16)}.js`
      : `${stem}.${sha256.slice(0, 16)}.${extension}`;
  const gzip = gzipSync(bytes, { level: 9 });
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  writeFileSync(output + file, bytes);
  writeFileSync(`${output}${file}.gz`, gzip);
  writeFileSync(`${output}${file}.br`, brotli);
  const integrity = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
  return { file, sha256, integrity, bytes: bytes.length, gzip: gzip.length, brotli: brotli.length };
}

const texts = new Map();
for (const [name, entry] of Object.entries(scripts)) {
  const minify = name === "captcha" ? { mangleProps: { include: OWN_NAMES } } : true;
  texts.set(`${name}.js`, await script(entry, minify));
}
for (const [name, parts] of Object.entries(styles)) texts.set(`${name}.css`, style(parts));
// Last, so that a mistake in the source leaves the previous build in place.
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const files = Object.fromEntries([...texts].map(([name, text]) => [name, asset(name, text)]));
writeFileSync(`${output}manifest.json`, `${JSON.stringify({ version, files }, null, 2)}\n`);
