import { spawn } from "node:child_process";
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
/** Time a successor has until it serves. */
const READY_MS = 60_000;

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

interface InheritedSocket {
  host: string;
  port: number;
  fd: number;
}

function inheritedSockets(): InheritedSocket[] {
  const text = process.env[ENVIRONMENT.inherit];
  // Children of this launcher have their own descriptors.
  delete process.env[ENVIRONMENT.inherit];
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

/**
 * Starts the program again as it was started, with the listeners in hand.
 * @returns whether it serves; if not, it is gone
 */
export function handOverListeners(bound: readonly BoundListener[]): Promise<boolean> {
  const left = bound.map(({ host, port }, index) => ({ host, port, fd: FIRST_LEFT_FD + index }));
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ["ignore", "inherit", "inherit", "ipc", ...bound.map(({ fd }) => fd)],
    env: { ...process.env, [ENVIRONMENT.inherit]: JSON.stringify(left) },
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), READY_MS);
    const settle = (serves: boolean) => {
      clearTimeout(timer);
      if (serves) {
        child.disconnect();
        child.unref();
      }
      resolve(serves);
    };
    child.once("message", () => settle(true));
    child.once("error", () => settle(false));
    child.once("exit", () => settle(false));
  });
}

/** Tells the launcher before this one, if there is one, that it can go. */
export function confirmHandover(): void {
  if (process.connected) process.send?.({ type: "ready" }, () => process.disconnect());
}
