import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { Answers } from "./answers.gen";

export type Session = Answers["readSession"];

/** Key and session of the signed-in user. Only this module holds the key: a reload of the page forgets it. */
interface SignedIn {
  key: string;
  session: Session;
}

/** Reason why the interface asks for a key again. */
export type SignedOut = "never" | "refused" | "left";

let current: SignedIn | undefined;
let reason: SignedOut = "never";
/** A rejected key remains the owner, so that unsaved text survives the next sign-in. */
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

/** Updates the session from the gateway; a changed role of the key takes effect at once. */
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

export const useOwner = (): string | undefined => useSyncExternalStore(subscribe, () => owner);

export const isSignedIn = (): boolean => current !== undefined;

/** A meta element of the page says if every call receives a key elsewhere. */
export const isKeyRequired = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name="gwc-key"]')?.content !== "none";

export const useSession = (): Session | undefined => useSyncExternalStore(subscribe, () => current?.session);

/** Reason why this user cannot write; undefined if writing is allowed. */
export function useWriteRefusal(): string | undefined {
  const { t } = useTranslation();
  const session = useSession();
  return session?.role === "viewer" ? t("session.viewer") : (session?.read_only ?? undefined);
}
