import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { BindError, type BoundListener, bind, inherit } from "./bind.js";
import { ENVIRONMENT, type LaunchPlan, type ListenAddress } from "./launch-plan.js";
import { log } from "./log.js";

/** A listener and what it is for. */
export interface KindOfListener extends BoundListener {
  /** One of `Listening`, or the name of a service. */
  kind: string;
}

/** First listener's descriptor in a successor: 0..2 are the standard streams, 3 is the channel to this launcher. */
const FIRST_LEFT_FD = 4;
/** Time a successor has until it serves: 20,000 routes compile for a minute, on a busy machine for some. */
export const READY_MS = 300_000;

/**
 * Binds every address of the plan, or takes it over from the launcher that started this one (SIGUSR2).
 * @param held what is bound already
 * @throws BindError; nothing stays bound then
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
  // Clients of a listener that is configured no more are refused, instead of waiting for nobody.
  const taken = new Set(bound.map(({ fd }) => fd));
  for (const { fd } of left) if (!taken.has(fd)) closeSync(fd);
  return bound;
}

let succeeds = false;

/** Another gateway serves on these listeners, and goes on when this one does not serve. */
export const isSuccessor = (): boolean => succeeds;

interface InheritedSocket {
  host: string;
  port: number;
  fd: number;
}

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

/** A page that nobody asked for by its address must not keep a second gateway of this machine from starting. */
function orNothing(left: InheritedSocket[], address: ListenAddress): BoundListener | undefined {
  try {
    return takeOver(left, address);
  } catch (error) {
    if (!(error instanceof BindError)) throw error;
    log("not_listening", { setting: address.setting, reason: error.message });
    return undefined;
  }
}

/** From a launcher to the main process of its container: a listener, whose handle travels with it; start a successor; this one serves. */
export type FromLauncher =
  | { type: "listener"; host: string; port: number }
  | { type: "succeed" }
  | { type: "ready" };

/** From the main process of a container to the launcher that asked for a successor. */
export interface Succeeded {
  type: "succeeded";
  serves: boolean;
}

/** A successor that is started. */
export interface Handover {
  /** Whether it serves; if not, it is gone. */
  serves: Promise<boolean>;
  /** Passes a signal on to it. In a container the main process does that, and this nothing. */
  signal(name: NodeJS.Signals): void;
}

/** Starts the program again as it was started, with the listeners in hand. */
export function handOverListeners(bound: readonly BoundListener[]): Handover {
  if (isUnderInit()) return { serves: askForSuccessor(bound), signal: () => {} };
  const child = successorOn(bound);
  if (child === undefined) return { serves: Promise.resolve(false), signal: () => {} };
  const serves = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS);
    const settle = (served: boolean) => {
      clearTimeout(timer);
      if (served) {
        child.disconnect();
        child.unref();
      }
      resolve(served);
    };
    child.once("message", () => settle(true));
    child.once("error", (error) => {
      notStarted(error);
      settle(false);
    });
    child.once("exit", () => settle(false));
  });
  return { serves, signal: (name) => void child.kill(name) };
}

/**
 * The program as it was started, on listeners that are bound. It says `ready` when it serves.
 * @param ofInit the main process of a container starts it
 * @returns undefined if the system starts no process, for want of memory for example
 */
export function successorOn(bound: readonly BoundListener[], ofInit = false): ChildProcess | undefined {
  try {
    return spawnSuccessor(bound, ofInit);
  } catch (error) {
    notStarted(error as Error);
    return undefined;
  }
}

export const notStarted = ({ message: error }: Error) =>
  log("child_not_started", { child: "successor", error });

/** @throws NodeJS.ErrnoException */
function spawnSuccessor(bound: readonly BoundListener[], ofInit: boolean): ChildProcess {
  const left = bound.map(({ host, port }, index) => ({ host, port, fd: FIRST_LEFT_FD + index }));
  return spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ["ignore", "inherit", "inherit", "ipc", ...bound.map(({ fd }) => fd)],
    env: {
      ...process.env,
      ...(left.length > 0 && { [ENVIRONMENT.inherit]: JSON.stringify(left) }),
      ...(ofInit && { [ENVIRONMENT.init]: "1" }),
    },
    // Else Ctrl-C reaches it twice, from the terminal and from the main process, which ends requests in flight.
    detached: ofInit,
  });
}

/** In a container the successor is a child of the main process, which outlives this launcher. */
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

/** The main process of the container started this launcher, or the one before it. */
const isUnderInit = (): boolean => process.env[ENVIRONMENT.init] !== undefined && process.connected;

/** Tells the launcher before this one, if there is one, that it can go. */
export function confirmHandover(): void {
  if (!process.connected) return;
  const told = { type: "ready" } satisfies FromLauncher;
  if (isUnderInit()) process.send?.(told);
  else process.send?.(told, () => process.disconnect());
}
