// `npm run release`: makes a release from the last commit, as a dry run by default (docs/releasing.md).
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { cutChangelog, nextVersion, ReleaseError } from "./changelog.mjs";
import { checkPublishable, publish } from "./publish.mjs";
import { versionEdits } from "./version.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const HELP = `npm run release [-- OPTIONS]

Makes a release of the last commit in release/VERSION: package, SBOM, notes, checksums, signature.

  --dry-run              change and publish nothing (default)
  --publish              commit, tag, push, and make a release page with gh
  --release VERSION      version, such as 1.0.0 (default: the next one by CHANGELOG.md)
  --sign KEY             sign the checksums with a private key in PEM form, as gwc build does
  --sign-passphrase VAR  environment variable with its passphrase (default: GWC_SIGN_PASSPHRASE)
  --sign-with COMMAND    sign with a program that reads the data and prints the signature
  --skip-check           omit npm run check (dry run only)
  --help                 this text
`;

const say = (text) => process.stdout.write(`${text}\n`);
const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
const readText = (path) => readFileSync(join(ROOT, path), "utf8");

function readOptions() {
  const text = { type: "string" };
  const flag = { type: "boolean", default: false };
  const options = { "dry-run": flag, publish: flag, "skip-check": flag, help: flag };
  const texts = { release: text, sign: text, "sign-passphrase": text, "sign-with": text };
  let values;
  try {
    ({ values } = parseArgs({ options: { ...options, ...texts } }));
  } catch (error) {
    throw new ReleaseError(`${error.message}\n\n${HELP}`);
  }
  if (values.publish && (values["dry-run"] || values["skip-check"]))
    throw new ReleaseError("--publish excludes --dry-run and --skip-check");
  if (values.sign !== undefined && values["sign-with"] !== undefined)
    throw new ReleaseError("--sign excludes --sign-with");
  return values;
}

function chosenVersion(named) {
  const { version } = JSON.parse(readText("package.json"));
  const next = named ?? nextVersion(version, readText("CHANGELOG.md"));
  if (!/^\d+\.\d+\.\d+$/.test(next)) throw new ReleaseError(`${next} is not a version such as 1.0.0`);
  if (git("tag", "--list", `v${next}`) !== "") throw new ReleaseError(`the tag v${next} exists already`);
  return { version, next };
}

/** Tree on which a whole `npm test` passed last. */
function passedTree() {
  const file = join(ROOT, "test-results/passed.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).tree : undefined;
}

/** Runs npm in the clone, with its output on standard error. */
function npm(clone, ...args) {
  say(`\n$ npm ${args.join(" ")}`);
  const { status } = spawnSync("npm", args, { cwd: clone, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new ReleaseError(`npm ${args.join(" ")} failed`);
}

const NPM_CI = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];

/**
 * Builds and checks the new version in a clone, so that a release contains only what the commit and the lock file
 * do: `npm pack` takes all of `.build`, and a checkout may have output of removed sources there.
 */
function prepare(clone, edits) {
  execFileSync("git", ["clone", "--quiet", "--shared", ROOT, clone]);
  for (const [path, text] of edits) writeFileSync(join(clone, path), text);
  npm(clone, ...NPM_CI);
  npm(clone, "run", "build");
}

/** Signer of `gwc build --sign`, from the build in the clone; undefined if no key is named. */
async function signerOf(clone, options) {
  const { chosenSigner } = await import(pathToFileURL(join(clone, ".build/cli/signing.js")));
  const signer = chosenSigner({
    sign: options.sign && resolve(options.sign),
    signPassphrase: options["sign-passphrase"],
    signWith: options["sign-with"],
  });
  if (signer === "unusable") throw new ReleaseError("the release cannot be signed");
  return signer;
}

const sha256 = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** Writes the files of the release. @returns their paths */
async function writeFiles(clone, directory, { version, notes, signer }) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  npm(clone, "pack", "--pack-destination", directory, "--loglevel=error");
  const { packageSbomText } = await import(pathToFileURL(join(clone, ".build/compiler/7-build/sbom.js")));
  writeFileSync(join(directory, `gwc-${version}.sbom.json`), packageSbomText());
  writeFileSync(join(directory, "NOTES.md"), notes);
  const names = readdirSync(directory).sort();
  const sums = names.map((name) => `${sha256(join(directory, name))}  ${name}\n`).join("");
  writeFileSync(join(directory, "SHA256SUMS"), sums);
  // The bytes themselves, so that openssl verifies them: nobody has gwc before its first release.
  if (signer) writeFileSync(join(directory, "SHA256SUMS.sig"), signer(Buffer.from(sums)).sig);
  return readdirSync(directory)
    .sort()
    .map((name) => join(directory, name));
}

async function release(options, clone) {
  const changed = git("status", "--porcelain");
  if (changed !== "") throw new ReleaseError(`the checkout has changes that are not committed:\n${changed}`);
  const { version: current, next: version } = chosenVersion(options.release);
  const commit = git("rev-parse", "HEAD");
  const isSigned = options.sign !== undefined || options["sign-with"] !== undefined;
  if (options.publish) checkPublishable(ROOT, { isSigned, passedTree: passedTree() });
  const date = new Date().toISOString().slice(0, 10);
  const { text, notes } = cutChangelog(readText("CHANGELOG.md"), version, date);
  const edits = versionEdits(ROOT, current, version).set("CHANGELOG.md", text);
  say(`gwc ${version} from commit ${commit.slice(0, 12)}, ${edits.size} files name the version`);
  prepare(clone, edits);
  const signer = await signerOf(clone, options);
  if (!options["skip-check"]) npm(clone, "run", "check");
  const directory = join(ROOT, "release", version);
  const files = await writeFiles(clone, directory, { version, notes, signer });
  say(`\n${relative(process.cwd(), directory)}: ${files.map((file) => basename(file)).join(", ")}`);
  if (signer === undefined) say("not signed: add --sign KEY or --sign-with COMMAND");
  if (options.publish) publish(ROOT, { version, commit, edits, notes: join(directory, "NOTES.md"), files });
  else say("dry run: nothing is committed, tagged or published; --publish does it");
}

async function main() {
  const options = readOptions();
  if (options.help) return process.stdout.write(HELP);
  const directory = mkdtempSync(join(tmpdir(), "gwc-release-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  await release(options, join(directory, "gwc"));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  process.stderr.write(`release: ${error.message}\n`);
  process.exitCode = 1;
}
