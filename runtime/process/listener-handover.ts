import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { BindError, type BoundListener, bind, inherit } from "./bind.js";
import { ENVIRONMENT, type LaunchPlan, type ListenAddress } from "./launch-plan.js";
import { log } from "./log.js";
import { startProcess } from "./start-process.js";

export interface KindOfListener extends BoundListener {
  /** A key of `Listening`, or the name of a service. */
  kind: string;
}

/** First listener's descriptor in a successor: 0..2 are the standard streams, 3 the channel to this launcher. */
const FIRST_LEFT_FD = 4;
/** Timeout in ms until a successor serves: 20,000 routes compile for a minute, on a busy machine for several. */
const READY_MS = 300_000;

/**
 * @param held listeners that are bound already
 * @throws BindError; then nothing stays bound
 */
export function bindAll(
  { listening, services }: Pick<LaunchPlan, "listening" | "services">,
  held: readonly KindOfListener[] = [],
): KindOfListener[] {
  const wanted: [kind: string, addresses: ListenAddress[]][] = [
    ...Object.entries(listening),
    ...services.map(({ name, listen }): [string, ListenAddress[]] => [name, [listen]]),
  ];
  const left = inheritedSockets();
  const bound: KindOfListener[] = [];
  try {
    for (const [kind, addresses] of wanted) {
      for (const address of addresses) {
        const early = held.find(
          ({ kind: of, host, port }) => of === kind && host === address.host && port === address.port,
        );
        if (early) {
          bound.push(early);
          continue;
        }
        const listener = address.optional ? orNothing(left, address) : takeOver(left, address);
        if (listener) bound.push({ ...listener, kind });
      }
    }
  } catch (error) {
    for (const listener of bound) listener.handle.close();
    throw error;
  }
  // Clients of a listener that is no longer configured are refused, instead of waiting for nothing.
  const taken = new Set(bound.map(({ fd }) => fd));
  for (const { fd } of left) if (!taken.has(fd)) closeSync(fd);
  return bound;
}

let succeeds = false;

/** Reports whether another gateway serves on these listeners, and continues if this one does not serve. */
export const isSuccessor = (): boolean => succeeds;

type InheritedSocket = Pick<BoundListener, "host" | "port" | "fd">;

function inheritedSockets(): InheritedSocket[] {
  const text = process.env[ENVIRONMENT.inherit];
  // Children of this launcher have their own descriptors.
  delete process.env[ENVIRONMENT.inherit];
  succeeds = text !== undefined;
  return text === undefined ? [] : (JSON.parse(text) as InheritedSocket[]);
}

function takeOver(left: InheritedSocket[], address: ListenAddress): BoundListener {
  const found = left.find(({ host, port }) => host === address.host && port === address.port);
  return found ? inherit(found.fd, found.host) : bind(address);
}

/** A page on its default address must not keep a second gateway of this machine from starting. */
function orNothing(left: InheritedSocket[], address: ListenAddress): BoundListener | undefined {
  try {
    return takeOver(left, address);
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    log("not_listening", { setting: address.setting, reason: error.message });
    return undefined;
  }
}

/** From a launcher to its container's main process: a listener with its handle; start a successor; it serves. */
export type FromLauncher =
  | { type: "listener"; host: string; port: number }
  | { type: "succeed" }
  | { type: "ready" };

/** From the main process of a container to the launcher that asked for a successor. */
interface Succeeded {
  type: "succeeded";
  serves: boolean;
}

export interface Handover {
  /** Resolves with true when it serves; with false if it is gone. */
  serves: Promise<boolean>;
  /** Passes a signal on to it. In a container the main process does that, and this does nothing. */
  signal(name: NodeJS.Signals): void;
}

export function handOverListeners(bound: readonly BoundListener[]): Handover {
  if (isUnderInit()) return { serves: askForSuccessor(bound), signal: () => {} };
  const child = successorOn(bound);
  if (child === undefined) return { serves: Promise.resolve(false), signal: () => {} };
  const serves = startedToServe(child).then((served) => {
    if (served) {
      child.disconnect();
      child.unref();
    }
    return served;
  });
  return { serves, signal: (name) => void child.kill(name) };
}

/** Resolves with true when a successor serves; with false if it is gone, or is killed because it takes too long. */
export function startedToServe(child: ChildProcess): Promise<boolean> {
  const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS);
  return new Promise<boolean>((resolve) => {
    child.on("message", ({ type }: FromLauncher) => type === "ready" && resolve(true));
    child.once("error", () => resolve(false));
    child.once("exit", () => resolve(false));
  }).finally(() => clearTimeout(timer));
}

/** Sends `ready` when it serves; undefined if the system starts none. `ofInit`: by a container's main process. */
export function successorOn(bound: readonly BoundListener[], ofInit = false): ChildProcess | undefined {
  const left = bound.map(({ host, port }, index) => ({ host, port, fd: FIRST_LEFT_FD + index }));
  const options: SpawnOptions = {
    stdio: ["ignore", "inherit", "inherit", "ipc", ...bound.map(({ fd }) => fd)],
    env: {
      ...process.env,
      ...(left.length > 0 && { [ENVIRONMENT.inherit]: JSON.stringify(left) }),
      ...(ofInit && { [ENVIRONMENT.init]: "1" }),
    },
    // Otherwise Ctrl-C reaches it twice, from the terminal and the main process, which aborts requests in flight.
    detached: ofInit,
  };
  return startProcess(
    () => spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], options),
    ({ message: error }) => log("child_not_started", { child: "successor", error }),
  );
}

/** Asks the main process of the container for a successor: as its child it outlives this launcher. */
function askForSuccessor(bound: readonly BoundListener[]): Promise<boolean> {
  for (const { host, port, handle } of bound)
    process.send?.({ type: "listener", host, port } satisfies FromLauncher, handle as never, {
      keepOpen: true,
    });
  process.send?.({ type: "succeed" } satisfies FromLauncher);
  return new Promise((resolve) => {
    const settle = (serves: boolean) => {
      process.off("message", hear);
      process.off("disconnect", lost);
      resolve(serves);
    };
    const hear = ({ serves }: Succeeded) => settle(serves);
    const lost = () => settle(false);
    process.on("message", hear);
    process.on("disconnect", lost);
  });
}

/** Reports whether the main process of the container started this launcher, or the previous one. */
const isUnderInit = (): boolean => process.env[ENVIRONMENT.init] !== undefined && process.connected;

/** Tells the previous launcher, if there is one, that it can end. */
export function confirmHandover(): void {
  if (!process.connected) return;
  const told = { type: "ready" } satisfies FromLauncher;
  if (isUnderInit()) process.send?.(told);
  else process.send?.(told, () => process.disconnect());
}
