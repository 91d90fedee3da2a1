import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  changeOf,
  notifyFailure,
  useLive,
  type Written,
} from "../../../runtime/dashboard/plugin-kit";

type Answer = Parameters<typeof changeOf>[0] & { body: Written };

/** A write that is made by a form, what became of it, and how it is taken back. */
export interface Writing {
  failure: AdminError | undefined;
  writing: boolean;
  /** @param title says what was written. @returns whether it was */
  run(send: () => Promise<Answer>, title: (written: Written) => string): Promise<boolean>;
}

export function useWriting(): Writing {
  const { t } = useTranslation();
  const live = useLive();
  const [failure, setFailure] = useState<AdminError>();
  const [writing, setWriting] = useState(false);
  async function run(send: () => Promise<Answer>, title: (written: Written) => string): Promise<boolean> {
    setWriting(true);
    setFailure(undefined);
    try {
      const answer = await send();
      await live(title(answer.body), changeOf(answer));
      return true;
    } catch (error) {
      if (error instanceof AdminError) setFailure(error);
      else notifyFailure(t("failed.save"), error);
      return false;
    } finally {
      setWriting(false);
    }
  }
  return { failure, writing, run };
}
