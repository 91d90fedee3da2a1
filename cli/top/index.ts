import { once } from "node:events";
import { existsSync } from "node:fs";
import { stderr, stdin } from "node:process";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { hasUserInfo, NoAdminReplyError, USER_INFO } from "../../runtime/abi/admin-call.js";
import { complain, failed } from "../output.js";
import { type Order, plainText } from "./overview-text.js";
import { KeyWanted, TopSource, type View } from "./source.js";

export interface TopOptions {
  admin: string;
  key?: string;
  view: View;
  sort: Order;
  window: string;
  every: string;
  once?: boolean;
  filter: string;
  format: "text" | "json";
}

/** Bundle that screen/build.mjs writes next to this file: Ink and its dependencies in one file. */
const SCREEN = new URL("./screen.bundle.js", import.meta.url);

export interface TopStart {
  source: TopSource;
  view: View;
  order: Order;
  /** Window of the figures in seconds: one of `WINDOWS`. */
  seconds: number;
  /** Interval of the polls in ms. */
  every: number;
}

/** Exports of the bundle of the screen (see screen/build.mjs). */
export interface TopScreen {
  /** Ends when the user quits or the gateway rejects the key. @returns the reason if it ended by itself */
  show(start: TopStart): Promise<string | undefined>;
}

/** `gwc top`: shows the figures of a gateway in a terminal until the user quits, or once for a pipe. */
export async function top(options: TopOptions): Promise<number> {
  const every = Number(options.every);
  if (!(every >= 0.5 && every <= 60)) return failed("--every must be 0.5 to 60 seconds", 2);
  if (hasUserInfo(options.admin)) return failed(USER_INFO, 2);
  if (!URL.canParse(options.admin) || !/^https?:$/.test(new URL(options.admin).protocol))
    return failed(
      `--admin must be a URL, such as http://127.0.0.1:9180, not ${JSON.stringify(options.admin)}`,
      2,
    );
  const { key } = options;
  const seconds = Number(options.window);
  const isOnce = options.once || options.format === "json";
  if (isOnce || !process.stdout.isTTY || !process.stdin.isTTY) {
    if (!isOnce) complain("no terminal: printing once, as with --once");
    return printOnce(new TopSource(options.admin, key), seconds, options);
  }
  if (!existsSync(SCREEN))
    return failed("the screen is not part of this installation: run `npm run build`, or use --once", 1);
  const source = await opened(options.admin, key, seconds);
  const { show } = (await import(SCREEN.href)) as TopScreen;
  const start = { source, view: options.view, order: options.sort, seconds, every: every * 1_000 };
  const ended = await show(start);
  return ended === undefined ? 0 : failed(ended, 1);
}

/** Opens the gateway, and prompts for a key if the gateway requires one. */
async function opened(admin: string, key: string | undefined, seconds: number): Promise<TopSource> {
  const source = new TopSource(admin, key);
  if (key !== undefined) return source;
  try {
    await source.overview(seconds);
  } catch (error) {
    if (error instanceof KeyWanted) return new TopSource(admin, await promptKey(source.address));
  }
  return source;
}

/** JSON without text that moves a cursor: characters outside of ASCII are escaped. */
const asciiOf = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

async function printOnce(source: TopSource, seconds: number, options: TopOptions): Promise<number> {
  try {
    const answer = await source.overview(seconds);
    const text =
      options.format === "json"
        ? `${asciiOf(answer)}\n`
        : plainText(answer, options.view, options.sort, options.filter);
    process.stdout.write(text);
    return 0;
  } catch (error) {
    if (!(error instanceof NoAdminReplyError)) throw error;
    return failed(error.message, 1);
  }
}

/** Output of a prompt that shows nothing of what is typed. */
const HIDDEN = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Undefined if nothing was typed, or after Ctrl-C. */
export async function promptKey(address: string): Promise<string | undefined> {
  // Begins before the question, so that nothing typed early is echoed.
  const prompt = createInterface({ input: stdin, output: HIDDEN, terminal: true, historySize: 0 });
  stderr.write(`key of the admin API at ${address} (not shown): `);
  const typed = await Promise.race([once(prompt, "line"), once(prompt, "close")]);
  prompt.close();
  stderr.write("\n");
  const [line = ""] = typed as [line?: string];
  return line.trim() || undefined;
}
