/** Whole gateway inside the calling process, for development, tests and `workers: 0`. */
import type { Server } from "node:http";
import "../../plugins/runtime.js";
import type { AddressInfo } from "node:net";
import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import { listenError } from "../process/bind.js";
import { type ServiceHere, StartError } from "../process/contribution.js";
import { ControlMessageHandler } from "../process/control-messages.js";
import { DataPlane } from "../process/data-plane.js";
import type { ListenAddress } from "../process/launch-plan.js";
import type { Addresses } from "../process/launcher.js";
import { log, switchLog } from "../process/log.js";
import { claimRunDirectory } from "../process/run-directory.js";
import { generatedAdminKey } from "./admin/authentication.js";
import { loadCompiler } from "./compiler-loader.js";
import { Control } from "./control.js";
import { builtOrigin, type RunArguments, runSource, storeDirectoryOf } from "./launch-settings.js";
import { runSettings } from "./run-settings.js";
import { type Settings, unkept } from "./settings.js";
import { storeKeys } from "./store/keyring.js";
import { attachInProcess } from "./worker-links.js";

export interface GatewayOptions extends Partial<RunArguments> {
  /** Overrides of single settings, also after a reload; port 0 takes any free port. */
  settings?: Partial<Settings>;
  read?: Settings;
  /** False to keep nothing on disk. Default: the configured store. */
  store?: boolean;
  log?: boolean;
}

export interface Gateway {
  addresses: Addresses;
  /** First key with role admin; undefined if none is required. */
  adminKey: string | undefined;
  storeDirectory: string;
  reload(): Promise<boolean>;
  /** Opens log files again after a rename. */
  reopenLogs(): void;
  /** Drains requests up to the timeout in ms (default: 1,000), then stops everything. */
  close(deadlineMs?: number): Promise<void>;
}

/**
 * Starts a gateway and resolves when it serves.
 * @throws StartError if the configuration cannot run, with the diagnostics; BindError if an address is taken
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  if (options.log !== true) switchLog(false);
  const directory = options.directory ?? process.cwd();
  const { paths = [], writable = false, verify, policy } = options;
  const origin = runSource({ paths, directory, writable, verify, policy });
  const run = await claimRunDirectory();
  const gateway = new DataPlane();
  let compiler: CompilerThread | null = null;
  let control: Control | undefined;
  let services: ReadonlyMap<string, ServiceHere> = new Map();
  try {
    const settings = adjusted(options.read ?? (await runSettings(origin, process.env)), options);
    const isKept = options.store !== false;
    const storeDirectory = isKept ? storeDirectoryOf(settings, origin) : null;
    // A generated key has a directory in any case.
    const keyDirectory = isKept ? settings.store : run.path;
    const keys = storeKeys(storeDirectory, settings.keyring);
    compiler = await loadCompiler(directory, keys.secretKey, origin.policy);
    control = await Control.start({
      settings,
      origin: origin.kind === "files" ? origin : builtOrigin(origin, process.env),
      runDirectory: run.path,
      storeDirectory,
      keyDirectory,
      spoolDirectory: isKept ? settings.spool.directory : null,
      ...{ compiler, keys, workers: 1, replace: () => {} },
      adjusted: (read) => adjusted(read, options),
      environment: process.env,
    });
    const running = control;
    await serving(control, gateway);
    control.stages.end();
    services = await control.services.startHere(settings.services);
    const addresses = await listen({ control, gateway, services, settings });
    return {
      addresses,
      adminKey: adminKeyOf(settings, keyDirectory, run.path),
      storeDirectory: keyDirectory,
      reload: () => running.reload(),
      reopenLogs: () => gateway.reopenLogs(),
      async close(deadlineMs = 1000) {
        await gateway.close(deadlineMs);
        for (const service of services.values()) await service.close(deadlineMs);
        await running.close();
        run.release();
      },
    };
  } catch (error) {
    await gateway.close(0);
    for (const service of services.values()) await service.close(0);
    // Also closes the compiler.
    await (control ?? compiler)?.close();
    run.release();
    throw error;
  }
}

async function listen({ control, gateway, services, settings }: Parts): Promise<Addresses> {
  const data: Addresses["data"] = [];
  for (const address of settings.data) data.push(await gateway.listenOn(address, false));
  const tls: Addresses["tls"] = [];
  for (const address of settings.tls) tls.push(await gateway.listenOn(address, true));
  return {
    data,
    tls,
    admin: [await listening(control.admin, settings.admin)],
    status: [await listening(control.status, settings.status)],
    metrics: await metricsListening(control.metrics, settings.metrics),
    ...Object.fromEntries([...services].map(([name, { address }]) => [name, [address]])),
  };
}

interface Parts {
  control: Control;
  gateway: DataPlane;
  services: ReadonlyMap<string, ServiceHere>;
  settings: Settings;
}

function adminKeyOf(settings: Settings, ...directories: [string, string]): string | undefined {
  if (settings.adminKeys.length > 0) return settings.adminKeys.find(({ role }) => role === "admin")?.key;
  return settings.adminKeyRequired ? generatedAdminKey(...directories).key.key : undefined;
}

function adjusted(read: Settings, options: GatewayOptions): Settings {
  const settings = { ...read, ...options.settings };
  return options.store === false ? { ...settings, services: unkept(settings.services) } : settings;
}

function serving(control: Control, gateway: DataPlane): Promise<void> {
  return new Promise((resolve, reject) => {
    const unusable = (reason: string) => reject(new StartError(reason));
    const identity = { worker: 0, pid: process.pid };
    const alone = new ControlMessageHandler(gateway, { accept: async () => {} }, identity, unusable);
    const tell = attachInProcess(control.workers, alone);
    gateway.tellControl = (message) => {
      tell(message);
      return true;
    };
    gateway.reportActivity();
    void control.workers.whenReady().then(resolve);
  });
}

/** The default address may be in use by another gateway of this machine. */
async function metricsListening(
  server: Server,
  address: Settings["metrics"],
): Promise<{ host: string; port: number }[]> {
  if (!address) return [];
  try {
    return [await listening(server, address)];
  } catch (error) {
    if (!address.optional) throw error;
    log("not_listening", { setting: address.setting, reason: (error as Error).message });
    return [];
  }
}

function listening(server: Server, address: ListenAddress): Promise<{ host: string; port: number }> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    // Stays attached: a later error, such as no descriptor for accepting, is transient and must not end the process.
    server.on("error", (error) => reject(listenError(address, error)));
    server.listen(port, host, () => resolve({ host, port: (server.address() as AddressInfo).port }));
  });
}
