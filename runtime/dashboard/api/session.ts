import { useTranslation } from "react-i18next";
import type { Answers } from "./answers.gen";
import { SharedState, useShared } from "./shared-state";

export type Session = Answers["readSession"];

/** Reason why the interface asks for a key again. */
export type SignedOut = "never" | "refused" | "left";

/** Only this module holds the key: a reload of the page forgets it. */
interface State {
  /** Key and session of the signed-in user. */
  signedIn?: { key: string; session: Session };
  reason: SignedOut;
  /** A rejected key remains the owner, so that unsaved text survives the next sign-in. */
  owner?: string;
}

const state = new SharedState<State>({ reason: "never" });

export function signIn(key: string, session: Session): void {
  state.current = { ...state.current, signedIn: { key, session }, owner: session.name ?? "" };
}

export function signOut(reason: SignedOut): void {
  state.current = { reason, owner: reason === "left" ? undefined : state.current.owner };
}

/** Updates the session from the gateway; a changed role of the key takes effect at once. */
export function renewSession(session: Session): void {
  const { signedIn } = state.current;
  if (signedIn) state.current = { ...state.current, signedIn: { ...signedIn, session } };
}

export const signedOutBecause = (): SignedOut => state.current.reason;
export const adminKey = (): string => state.current.signedIn?.key ?? "";

export const useOwner = (): string | undefined => useShared(state, ({ owner }) => owner);

export const isSignedIn = (): boolean => state.current.signedIn !== undefined;

/** A meta element of the page says if every call receives a key elsewhere. */
export const isKeyRequired = (): boolean =>
  document.querySelector<HTMLMetaElement>('meta[name="gwc-key"]')?.content !== "none";

export const useSession = (): Session | undefined => useShared(state, ({ signedIn }) => signedIn?.session);

/** Reason why this user cannot write; undefined if writing is allowed. */
export function useWriteRefusal(): string | undefined {
  const { t } = useTranslation();
  const session = useSession();
  return session?.role === "viewer" ? t("session.viewer") : (session?.read_only ?? undefined);
}
