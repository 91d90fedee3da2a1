import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Artifact } from "../../runtime/abi/generation.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { canonicalPlan } from "../plan/canonical.js";
import type { Plan } from "../plan/plan.js";

/** What a compile that found no errors gives to be written. */
export interface DistContent {
  artifact: Artifact;
  plan: Plan;
  /** TypeScript of each module; `file` without extension, as in the artifact. */
  modules: readonly { file: string; typescript: string }[];
  /** Deployment settings with references to the environment as written; null when the sources have none. */
  deployment: unknown;
  /** Names of environment variables whose values are part of what was compiled. */
  environment: readonly string[];
}

/** Marks a directory as written by `gwc build`, so that another build may replace it. */
const GENERATOR = "gwc";

/**
 * Every file of a build by its path below the directory, the manifest included. The same content gives the same bytes:
 * no dates, hosts or absolute paths.
 */
export function distFiles(content: DistContent): Map<string, string> {
  const { artifact } = content;
  const files = new Map<string, string>();
  for (const { file, typescript } of content.modules) files.set(`${file}.ts`, typescript);
  for (const { file, code } of artifact.modules) files.set(`${file}.js`, code);
  files.set("plan.json", pretty(JSON.parse(canonicalPlan(content.plan))));
  files.set(
    "gateway.json",
    pretty({
      deployment: content.deployment ?? null,
      routes: artifact.routes,
      upstreams: artifact.upstreams,
      globalRules: artifact.globalRules,
      modules: artifact.modules.map(({ unit, file, hash }) => ({ unit, file, hash })),
    }),
  );
  const names = [...files.keys()].sort();
  files.set(
    "manifest.json",
    pretty({
      generator: GENERATOR,
      version: VERSION,
      abi: artifact.abi,
      planHash: artifact.planHash,
      environment: [...content.environment].sort(),
      files: Object.fromEntries(names.map((name) => [name, sha256(files.get(name) ?? "")])),
    }),
  );
  return files;
}

/**
 * Writes a build to `directory`: all of it beside the target first, then in place by renaming, so nobody reads half a
 * build and files of an earlier one go. Refuses a directory that holds anything other than a build.
 * @returns the refusal or failure, or undefined when written
 */
export function writeDist(directory: string, content: DistContent): Diagnostic | undefined {
  const target = resolve(directory);
  if (!isReplaceable(target)) return diagnostic("GW6101", undefined, { directory });
  const suffix = randomBytes(4).toString("hex");
  const [next, previous] = [`${target}.next-${suffix}`, `${target}.previous-${suffix}`];
  try {
    writeFiles(next, distFiles(content));
    const replaces = existsSync(target);
    if (replaces) renameSync(target, previous);
    renameSync(next, target);
    if (replaces) rmSync(previous, { recursive: true });
    return undefined;
  } catch (error) {
    if (!existsSync(target) && existsSync(previous)) renameSync(previous, target);
    rmSync(next, { recursive: true, force: true });
    return diagnostic("GW6102", undefined, { directory, reason: (error as Error).message });
  }
}

function isReplaceable(target: string): boolean {
  try {
    if (!existsSync(target) || readdirSync(target).length === 0) return true;
    const manifest: unknown = JSON.parse(readFileSync(join(target, "manifest.json"), "utf8"));
    return (manifest as { generator?: unknown } | null)?.generator === GENERATOR;
  } catch {
    return false;
  }
}

function writeFiles(root: string, files: ReadonlyMap<string, string>): void {
  const folders = new Set([root, ...[...files.keys()].map((name) => dirname(join(root, name)))]);
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(root, name), text);
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
