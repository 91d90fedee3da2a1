import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "./answers.gen";

export type Session = Answers["readSession"];

/** Key and session of the one who is signed in. The key lives in this module alone: a reload of the page forgets it. */
interface SignedIn {
  key: string;
  session: Session;
}

/** Why the interface asks for a key again. */
export type SignedOut = "never" | "refused" | "left";

let current: SignedIn | undefined;
let reason: SignedOut = "never";
/** Name of the key whose pages stand there: also of one that is refused, so that what was typed is there after the question. */
let owner: string | undefined;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

export function signIn(key: string, session: Session): void {
  current = { key, session };
  owner = session.name ?? "";
  tell();
}

export function signOut(why: SignedOut): void {
  current = undefined;
  reason = why;
  if (why === "left") owner = undefined;
  tell();
}

/** Takes what the gateway says of itself now; a key that has become another's role shows at once. */
export function renewSession(session: Session): void {
  if (current === undefined) return;
  current = { ...current, session };
  tell();
}

export const signedOutBecause = (): SignedOut => reason;
export const adminKey = (): string => current?.key ?? "";

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Owner of the pages that stand there; undefined: nobody. */
export const useOwner = (): string | undefined => useSyncExternalStore(subscribe, () => owner);

export const isSignedIn = (): boolean => current !== undefined;

/** Reports whether the gateway asks for a key at all, or has one put on every call: it says so in the page. */
export const isKeyRequired = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name="gwc-key"]')?.content !== "none";

export const useSession = (): Session | undefined => useSyncExternalStore(subscribe, () => current?.session);

/** Why this user can change nothing here; undefined: may write. */
export function useWriteRefusal(): string | undefined {
  const { t } = useTranslation();
  const session = useSession();
  return session?.role === "viewer" ? t("session.viewer") : (session?.read_only ?? undefined);
}
