import { compileFunction } from "node:vm";
import { substituteEnvironment } from "../../abi/environment.js";
import { messageOf } from "../../abi/error-message.js";
import type { PluginMetadataModule } from "../../abi/exchange.js";
import type { ModuleCode, UpstreamTable } from "../../abi/generation.js";
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

export type Environment = Readonly<Record<string, string | undefined>>;

/** Name, IPv4 address, or IPv6 address with or without brackets. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?)$/;

/** @throws LoadError GW6005 for a variable that is not set, GW6006 for a value that is no host */
export function resolvedTable(table: UpstreamTable, environment: Environment): UpstreamTable {
  if (!table.nodes.some(({ host }) => host.includes("${{"))) return table;
  const missing: string[] = [];
  const nodes = table.nodes.map((node) => {
    const host = substituteEnvironment(node.host, environment, (name) => missing.push(name));
    if (missing.length === 0 && !HOST.test(host))
      throw new LoadError(
        "GW6006",
        `node "${node.host}" of upstream "${table.key}" becomes ${JSON.stringify(host)}, which is not a host`,
      );
    return { ...node, host };
  });
  if (missing.length > 0)
    throw new LoadError(
      "GW6005",
      `upstream "${table.key}" needs ${[...new Set(missing)].join(", ")} in the environment`,
    );
  return { ...table, nodes };
}
