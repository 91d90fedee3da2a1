import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  changeOf,
  notifyFailure,
  useLive,
  type WriteAnswer,
} from "../../../runtime/dashboard/plugin-kit";

type Answer = Parameters<typeof changeOf>[0] & { body: WriteAnswer };

export interface Writing {
  failure: AdminError | undefined;
  writing: boolean;
  /** @param title describes the write @param onStale called in place of `failure` @returns true if written */
  run(
    send: () => Promise<Answer>,
    title: (written: WriteAnswer) => string,
    onStale?: () => Promise<void>,
  ): Promise<boolean>;
  refuse(failure: AdminError): void;
}

/** The version is no longer the newest. */
const STALE = 412;

export function useWriting(): Writing {
  const { t } = useTranslation();
  const live = useLive();
  const [failure, setFailure] = useState<AdminError>();
  const [writing, setWriting] = useState(false);
  const failed = (error: unknown) =>
    error instanceof AdminError ? setFailure(error) : notifyFailure(t("failed.save"), error);
  const run: Writing["run"] = async (send, title, onStale) => {
    setWriting(true);
    setFailure(undefined);
    try {
      const answer = await send();
      await live(title(answer.body), changeOf(answer));
      return true;
    } catch (error) {
      if (onStale && error instanceof AdminError && error.status === STALE) await onStale().catch(failed);
      else failed(error);
      return false;
    } finally {
      setWriting(false);
    }
  };
  return { failure, writing, run, refuse: setFailure };
}
