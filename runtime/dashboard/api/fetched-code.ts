import i18next from "i18next";
import { type ComponentType, createElement, use } from "react";
import { readSession, UnreachableError } from "./client";
import { ASK_AGAIN_MS } from "./reach";

/** Code that the gateway does not have, though it answers: it became another version since the interface was opened. */
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

/** One question at a time, however many parts wait. */
function answering(): Promise<void> {
  back ??= untilBack().finally(() => {
    back = undefined;
  });
  return back;
}

/**
 * Fetches a part of the interface, when the gateway is back if it is away: the page before stays until then. Nothing reloads by itself,
 * since that would lose the key and whatever was typed.
 * @throws CodeNotFetched when the gateway answers and the part does not come
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

/** A component whose code is fetched when it is first shown. One that came before, by `fetchParts`, needs no frame without it. */
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

/** Fetches the code of all parts that are known by now, and of those that come to be known by it. What does not come is fetched when it is shown. */
export async function fetchParts(): Promise<void> {
  for (const fetch of parts) await fetch().catch(() => {});
}
