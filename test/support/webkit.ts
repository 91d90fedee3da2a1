import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { request } from "undici";
import { freePort } from "./ports.js";
import { WebDriver } from "./webdriver.js";

const DRIVER = "/usr/bin/WebKitWebDriver";
const DISPLAY = "/usr/bin/Xvfb";
const LIBRARIES = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

/** The small browser of the engine; Debian installs it next to the library: webkit2gtk-4.1/MiniBrowser. */
const BROWSER = LIBRARIES.filter((directory) => existsSync(directory))
  .flatMap((directory) => readdirSync(directory).map((name) => `${directory}/${name}/MiniBrowser`))
  .filter((path) => path.includes("/webkit2gtk-") && existsSync(path))
  .at(-1);

const ABSENT = [
  ...(existsSync(DRIVER) && BROWSER !== undefined ? [] : ["webkit2gtk-driver"]),
  ...(existsSync(DISPLAY) ? [] : ["xvfb"]),
];

/** Reason for skipping tests in WebKitGTK; undefined if they run. */
export const WITHOUT_WEBKIT: string | undefined =
  ABSENT.length === 0 ? undefined : `tests in WebKitGTK are left out: apt-get install ${ABSENT.join(" ")}`;
if (WITHOUT_WEBKIT) process.stderr.write(`${WITHOUT_WEBKIT}\n`);

/**
 * WebKitGTK of Debian: a virtual display (GTK has no headless mode), its driver, and a browser for each
 * session.
 */
export class WebKit {
  readonly #origin: string;
  readonly #processes: readonly ChildProcess[];

  private constructor(origin: string, processes: readonly ChildProcess[]) {
    this.#origin = origin;
    this.#processes = processes;
  }

  static async start(): Promise<WebKit> {
    if (WITHOUT_WEBKIT) throw new Error(WITHOUT_WEBKIT);
    const display = spawn(
      DISPLAY,
      ["-displayfd", "3", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"],
      { stdio: ["ignore", "ignore", "ignore", "pipe"] },
    );
    // The display server chooses a free number and prints it when it is ready.
    const [number] = (await once(display.stdio[3] as Readable, "data")) as [Buffer];
    const port = await freePort();
    const driver = spawn(DRIVER, [`--port=${port}`], {
      stdio: "ignore",
      env: { ...process.env, DISPLAY: `:${number.toString().trim()}`, LANG: "C.UTF-8", GDK_BACKEND: "x11" },
    });
    const made = new WebKit(`http://127.0.0.1:${port}`, [driver, display]);
    for (let i = 0; i < 200; i++) {
      if (await made.#isReady()) return made;
      await wait(25);
    }
    await made.close();
    throw new Error(`${DRIVER} does not answer`);
  }

  /** A browser with a separate profile. */
  session(): Promise<WebDriver> {
    return WebDriver.open(this.#origin, {
      browserName: "MiniBrowser",
      "webkitgtk:browserOptions": { binary: BROWSER, args: ["--automation"] },
    });
  }

  async #isReady(): Promise<boolean> {
    try {
      const answer = await request(`${this.#origin}/status`);
      await answer.body.dump();
      return true;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
  }
}
