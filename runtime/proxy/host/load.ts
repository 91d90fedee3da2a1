import { compileFunction } from "node:vm";
import { messageOf } from "../../abi/error-message.js";
import type { PluginMetadataModule } from "../../abi/exchange.js";
import type { ModuleCode } from "../../abi/generation.js";
import { sha256 } from "../../abi/hash.js";
import * as surface from "../../abi/index.js";
import { pluginCalls } from "../../abi/plugin-runtime.js";
import { PIPELINE_METHODS, type PipelineModule } from "../../abi/route-module.js";
import { ABI } from "../../abi/version.js";
import type { CompiledCodeCache } from "./compiled-code-cache.js";
import { registerModuleCode, registerSourceComments } from "./module-stack.js";

/** Reason why a generation was rejected; nothing has changed. `code` is the diagnostic's. */
export class LoadError extends Error {
  readonly code: string;

  constructor(code: string, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = "LoadError";
    this.code = code;
  }
}

/** @throws LoadError GW6002 for another ABI */
export function checkAbi(abi: number): void {
  if (abi !== ABI)
    throw new LoadError("GW6002", `compiled for runtime interface ${abi}, while this runtime has ${ABI}`);
}

/**
 * Loads a module synchronously, so that errors show before publication. Uses `vm.compileFunction`, because
 * `import()` keeps 30 kB of every version that was ever loaded.
 * @param shared cache by which similar modules share code, for loading many
 * @throws LoadError GW6001 if the code was altered, GW6003 if it is no module
 */
export function loadModule(text: ModuleCode, shared?: CompiledCodeCache): PipelineModule {
  const ran = shared && verified(text, () => shared.run(text, surfaceOf));
  const exported = ran ? ran.exports : exportsOf(text);
  if (!isPipelineModule(exported))
    throw new LoadError("GW6003", `the module of ${text.moduleId} exports no pipeline`);
  if (ran) registerSourceComments(exported, nameOf(text.file), ran);
  else registerModuleCode(exported, nameOf(text.file), text.code);
  return exported;
}

/** @throws LoadError as `loadModule` */
export function loadPluginMetadata(text: ModuleCode): PluginMetadataModule {
  const exported = exportsOf(text);
  if (!isPluginMetadata(exported))
    throw new LoadError("GW6003", `the module of ${text.moduleId} exports no plugin metadata`);
  registerModuleCode(exported, nameOf(text.file), text.code);
  return exported;
}

function exportsOf(text: ModuleCode): unknown {
  return verified(text, () => {
    const module: { exports: unknown } = { exports: undefined };
    compileFunction(text.code, ["require", "module"], { filename: nameOf(text.file) })(surfaceOf, module);
    return module.exports;
  });
}

/** Runs code after comparing its hash. */
function verified<T>({ moduleId, hash, code }: ModuleCode, run: () => T): T {
  if (sha256(code) !== hash)
    throw new LoadError("GW6001", `the module of ${moduleId} does not have its hash`);
  try {
    return run();
  } catch (error) {
    throw new LoadError("GW6003", `the module of ${moduleId} does not load: ${messageOf(error)}`, error);
  }
}

const nameOf = (file: string) => `${file}.js`;

/** Implements `require` for modules: the interfaces of the runtime and of plugins, and nothing of Node. */
function surfaceOf(name: string): unknown {
  const found = name === "gwc/runtime" ? surface : pluginCalls(name);
  if (found === undefined) throw new Error(`"${name}" is not part of the runtime's surface`);
  return found;
}

function isPipelineModule(value: unknown): value is PipelineModule {
  if (typeof value !== "object" || value === null) return false;
  const module = value as Record<string, unknown>;
  return (
    typeof module["id"] === "string" &&
    PIPELINE_METHODS.every((name) => module[name] === undefined || typeof module[name] === "function")
  );
}

function isPluginMetadata(value: unknown): value is PluginMetadataModule {
  if (typeof value !== "object" || value === null) return false;
  const { id, settings, record, extra } = value as Record<string, unknown>;
  return (
    typeof id === "string" &&
    typeof settings === "object" &&
    settings !== null &&
    [record, extra].every((maker) => maker === undefined || typeof maker === "function")
  );
}
