import { Button, type ButtonProps, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";

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
