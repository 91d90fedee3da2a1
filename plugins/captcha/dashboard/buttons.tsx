import { Button, type ButtonProps, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  AdminError,
  deletionOf,
  notifyFailure,
  useLive,
  useQuestion,
  useWriteRefusal,
} from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, enable, pathOf, remove } from "./api";

interface RowButtonProps {
  word: string;
  /** Contains the name of its row, for screen readers. */
  label: string;
  /** Reason why it is disabled. */
  why: string | undefined;
  onClick(): void;
}

export const RowButton = ({ word, label, why, onClick }: RowButtonProps) => (
  <Button
    size="xs"
    variant="default"
    disabled={why !== undefined}
    title={why}
    aria-label={label}
    onClick={onClick}
  >
    {word}
  </Button>
);

/** Runs a write, and notifies of its changes or its failure. */
function useAct() {
  const { t } = useTranslation();
  const live = useLive();
  return async (write: () => Promise<number[]>, done: string) => {
    try {
      await live(done, await write());
    } catch (error) {
      notifyFailure(t(error instanceof AdminError ? "refused.title" : "failed.save"), error);
    }
  };
}

interface DeleteButtonProps {
  kind: CaptchaKind;
  id: string;
  /** Consequences. */
  text: ReactNode;
  /** Reason why nobody can delete it. */
  refusal: string | undefined;
}

/** Confirmation with the consequences; an undo is possible for a minute. */
export function DeleteButton({ kind, id, text, refusal }: DeleteButtonProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const act = useAct();
  const question = useQuestion();
  const why = viewer ?? refusal;
  async function gone() {
    await remove(kind, id);
    return deletionOf(pathOf(kind), id);
  }
  const ask = () =>
    question({
      title: t(`captcha.delete_${kind}`, { id }),
      text,
      confirm: t("action.delete"),
      onConfirm: () => act(gone, t("delete.done", { id })),
    });
  return (
    <RowButton word={t("action.delete")} label={t("captcha.delete_of", { id })} why={why} onClick={ask} />
  );
}

interface EnabledButtonProps {
  kind: CaptchaKind;
  id: string;
  enabled: boolean;
  /** Consequences of disabling it. */
  text: ReactNode;
  isOfFile: boolean;
}

/** Asks for a confirmation before it disables. */
export function EnabledButton({ kind, id, enabled, text, isOfFile }: EnabledButtonProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const act = useAct();
  const question = useQuestion();
  const why = viewer ?? (isOfFile ? t("captcha.of_file") : undefined);
  const done = t(`captcha.${enabled ? "off" : "on"}_${kind}_done`, { id });
  const go = () => act(() => enable(kind, id, !enabled), done);
  const ask = () =>
    question({
      title: t(`captcha.off_${kind}_ask`, { id }),
      text,
      confirm: t(`captcha.off_${kind}`),
      onConfirm: go,
    });
  const word = t(`captcha.${enabled ? "off" : "on"}_${kind}`);
  const onClick = () => (enabled ? ask() : void go());
  return <RowButton {...{ word, why, onClick }} label={`${word} ${id}`} />;
}

interface FormButtonsProps extends Pick<ButtonProps, "disabled" | "loading"> {
  /** Text of the button that writes. */
  word: string;
  /** Reason why it is disabled. */
  title?: string | undefined;
  onCancel(): void;
  /** Default: the button submits its form. */
  onClick?(): void;
}

/** Last line of a form: cancel, and write. */
export function FormButtons({ word, onCancel, onClick, ...button }: FormButtonsProps) {
  const { t } = useTranslation();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {t("action.cancel")}
      </Button>
      <Button type={onClick === undefined ? "submit" : "button"} onClick={onClick} {...button}>
        {word}
      </Button>
    </Group>
  );
}
