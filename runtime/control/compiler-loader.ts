import { existsSync } from "node:fs";
import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import { log } from "../process/log.js";

const PLUGINS = new URL("../../plugins/index.js", import.meta.url).href;
const TRIALS = new URL("./in-process/effect-simulator.js", import.meta.url).href;
const THREAD = new URL("../../compiler/thread/compiler-thread.js", import.meta.url);
/** Packages that only the compiler needs. */
const PACKAGES = ["acorn", "ajv", "handlebars", "lru-cache", "yaml"];

/**
 * Loads the compiler in a thread, or in this thread if only sources exist (tests). Null if its packages are
 * not installed: a build runs without them.
 * @param policy file that each compile must satisfy
 * @param secretKey names literal secrets; without it they are named by their config paths
 */
export async function loadCompiler(
  directory: string,
  secretKey?: string,
  policy?: string,
): Promise<CompilerThread | null> {
  try {
    if (!existsSync(THREAD)) return await compilerHere(directory, secretKey, policy);
    // Checked before a thread fails on them; loading the compiler in this thread as well takes 0.2 s and 20 MB.
    for (const name of PACKAGES) import.meta.resolve(name);
    const { startCompiler } = await import("../../compiler/thread/compiler-client.js");
    const onEnd = (reason: string) => log("compiler_ended", { reason });
    return startCompiler({
      directory,
      onEnd,
      plugins: [PLUGINS],
      trials: TRIALS,
      policy,
      ...(secretKey !== undefined && { secretKey }),
    });
  } catch (error) {
    if (isNotInstalled(error)) return null;
    throw error;
  }
}

async function compilerHere(directory: string, secretKey?: string, policy?: string): Promise<CompilerThread> {
  await import("../../plugins/index.js");
  const { CompilerRpc, liveCompilation, testRegex, validateDocument } = await import(
    "../../compiler/thread/compiler-rpc.js"
  );
  const { policyHash, readFiles } = await import("../../compiler/thread/deployment-reader.js");
  const calls = new CompilerRpc(liveCompilation(secretKey));
  const { forwarded } = await import("../../compiler/thread/forwarded.js");
  return {
    ...forwarded(async (name, given) => Reflect.apply(calls[name], calls, given) as unknown),
    async load(paths, stored, built) {
      const files = { ...readFiles(paths, directory, policy), ...(built && { built }) };
      const { bundles } = await calls.begin(files);
      return { ...calls.load(files, [...stored]), bundles, policy: policyHash(files.policy) };
    },
    // Workers in this process depend on control.
    inputs: () => undefined,
    policy: () => policyHash(readFiles([], directory, policy).policy),
    // Without threads nothing runs concurrently with writes.
    write: async (changes) => calls.write(changes),
    analyse: async () => undefined,
    async compare(drafted) {
      const { draftEffect } = await import("../../compiler/thread/draft-effect.js");
      const { createSimulator } = await import("./in-process/diff-simulator.js");
      return { effect: await draftEffect(drafted, createSimulator, new Set()) };
    },
    async reload(paths, without, built) {
      const files = { ...readFiles(paths, directory, policy), ...(built && { built }) };
      return { ...calls.reload(files, without), policy: policyHash(files.policy) };
    },
    commit: async () => calls.commit(),
    discard: async () => calls.discard(),
    async testRegex(text) {
      const read = calls.readRegex(text);
      return "asked" in read ? testRegex(read.asked) : read;
    },
    validateDocument: async (text, format) => validateDocument(text, format),
    async close() {},
  };
}

/** Calls `use` with the reader of deployment settings, which compiles nothing; null without the compiler. */
export async function withDeploymentReader<T>(
  use: (reader: typeof import("../../compiler/thread/deployment-reader.js")) => T | Promise<T>,
): Promise<T | null> {
  try {
    await import("../../plugins/index.js");
    return await use(await import("../../compiler/thread/deployment-reader.js"));
  } catch (error) {
    if (isNotInstalled(error)) return null;
    throw error;
  }
}

function isNotInstalled(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
}
