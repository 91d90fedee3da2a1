import { existsSync } from "node:fs";
import { NoAdminReplyError } from "../../runtime/abi/admin-call.js";
import { hasUserInfo, USER_INFO } from "../../runtime/abi/user-info.js";
import { complain } from "../complain.js";
import type { TopScreen } from "./contract.js";
import { plainText } from "./plain.js";
import { promptKey } from "./prompt.js";
import type { Order } from "./rows.js";
import { KeyWanted, TopSource, type View } from "./source.js";

/** As commander gives them. */
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

/** Written beside this file by screen/build.mjs: Ink and what it needs, in one file. */
const SCREEN = new URL("./screen.bundle.js", import.meta.url);

/** `gwc top`: how a gateway does, in a terminal until somebody quits, or once for a pipe. */
export async function top(options: TopOptions): Promise<number> {
  const every = Number(options.every);
  if (!(every >= 0.5 && every <= 60)) return failed("--every is 0.5 to 60 seconds", 2);
  if (hasUserInfo(options.admin)) return failed(USER_INFO, 2);
  if (!URL.canParse(options.admin) || !/^https?:$/.test(new URL(options.admin).protocol))
    return failed(`--admin ${JSON.stringify(options.admin)} is no URL, such as http://127.0.0.1:9180`, 2);
  const { key } = options;
  const seconds = Number(options.window);
  const isOnce = options.once || options.format === "json";
  if (isOnce || !process.stdout.isTTY || !process.stdin.isTTY) {
    if (!isOnce) complain("no terminal: printed once, as by --once");
    return once(new TopSource(options.admin, key), seconds, options);
  }
  if (!existsSync(SCREEN))
    return failed("the screen is not part of this installation: run `npm run build`, or use --once", 1);
  const source = await opened(options.admin, key, seconds);
  const { show } = (await import(SCREEN.href)) as TopScreen;
  const start = { source, view: options.view, order: options.sort, seconds, every: every * 1_000 };
  const ended = await show(start);
  return ended === undefined ? 0 : failed(ended, 1);
}

/** The gateway's, with a key that is asked for where the gateway wants one. */
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

/** JSON in which nothing moves a cursor: names stand there as escapes where they are not ASCII. */
const asciiOf = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

async function once(source: TopSource, seconds: number, options: TopOptions): Promise<number> {
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

function failed(text: string, code: number): number {
  complain(text);
  return code;
}
