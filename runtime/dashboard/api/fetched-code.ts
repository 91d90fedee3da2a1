import i18next from "i18next";
import { type ComponentType, createElement, use } from "react";
import { ASK_AGAIN_MS, readSession, UnreachableError } from "./client";

/** Error for code that a reachable gateway does not have: it was upgraded since the interface was opened. */
class CodeNotFetched extends Error {
  constructor(cause: unknown) {
    super(i18next.t("failed.code"), { cause });
  }
}

const isAway = () =>
  readSession().then(
    () => false,
    (error: unknown) => error instanceof UnreachableError,
  );

async function untilBack(): Promise<void> {
  while (await isAway()) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
}

let back: Promise<void> | undefined;

/** Waits until the gateway responds, with one poll for all waiting parts. */
function answering(): Promise<void> {
  back ??= untilBack().finally(() => {
    back = undefined;
  });
  return back;
}

/**
 * Waits for an unreachable gateway; the previous page stays until then. Nothing reloads by itself, since that
 * would lose the key and unsaved text. @throws CodeNotFetched if the gateway responds but the part is missing
 */
export async function fetchedCode<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    await answering();
    return load().catch((cause: unknown) => {
      throw new CodeNotFetched(cause);
    });
  }
}

const parts: (() => Promise<void>)[] = [];

/** Fetches code when it is first shown. Code that `fetchParts` has loaded renders without an empty frame. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let known: ComponentType<Props> | undefined;
  let fetched: Promise<ComponentType<Props>> | undefined;
  parts.push(async () => {
    known = await load();
  });
  return function LaterPart(props: Props) {
    if (known === undefined) fetched ??= fetchedCode(load);
    return createElement(known ?? use(fetched as Promise<ComponentType<Props>>), props);
  };
}

/** Includes parts that fetched code registers. A part that fails is fetched when it is shown. */
export async function fetchParts(): Promise<void> {
  for (const fetch of parts) await fetch().catch(() => {});
}
