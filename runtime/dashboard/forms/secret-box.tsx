import { ActionIcon, CloseButton, PasswordInput, Textarea } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { type ClipboardEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

/** Mask of a secret that the gateway has and does not return; saving it keeps the secret. */
const MASK = /^\*\*\*[0-9a-f]{8}$/;

/** Prevents browsers and password managers from filling or storing the field. */
const UNFILLED = {
  autoComplete: "new-password",
  spellCheck: false,
  "data-1p-ignore": true,
  "data-lpignore": "true",
  "data-bwignore": true,
} as const;

export interface SecretBoxProps {
  id?: string;
  label?: ReactNode;
  "aria-label"?: string | undefined;
  description?: ReactNode;
  placeholder?: string | undefined;
  required?: boolean;
  readOnly?: boolean;
  error?: string;
  value: string;
  /** The secret has many lines, as a key in PEM. */
  isArea: boolean;
  areaRef(area: HTMLTextAreaElement | null): void;
  onPaste(event: ClipboardEvent<HTMLInputElement>): void;
  onChange(value: string): void;
}

/** A secret, concealed on demand. A mask cannot be edited: it stays whole, or typed text replaces it. */
export function SecretBox(props: SecretBoxProps) {
  const { t } = useTranslation();
  const { isArea, areaRef, value, onPaste, onChange, ...rest } = props;
  const [kept, setKept] = useState<string>();
  const [shown, setShown] = useState(false);
  if (MASK.test(value) && kept !== value) setKept(value);
  const isMask = MASK.test(value);
  const emptied = kept !== undefined && !isMask ? kept : "";
  const common = {
    ...rest,
    ...UNFILLED,
    ...(isMask && { placeholder: value, description: <Kept said={rest.description} /> }),
    value: isMask ? "" : value,
  };
  const take = (text: string) => onChange(text === "" ? emptied : text);
  const remove =
    isMask && rest.readOnly !== true && rest.required !== true ? (
      <CloseButton
        size="sm"
        aria-label={t("form.drop_secret")}
        title={t("form.drop_secret")}
        onClick={() => {
          setKept(undefined);
          onChange("");
        }}
      />
    ) : undefined;
  const reveal = t(shown ? "form.conceal" : "form.reveal");
  if (isArea)
    return (
      <Textarea
        {...common}
        ref={areaRef}
        rows={2}
        classNames={{ input: `code grows ${shown ? "" : "concealed"}` }}
        rightSection={
          remove ?? (
            <ActionIcon variant="subtle" color="gray" aria-label={reveal} onClick={() => setShown(!shown)}>
              {shown ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
            </ActionIcon>
          )
        }
        onChange={({ currentTarget }) => take(currentTarget.value)}
      />
    );
  return (
    <PasswordInput
      {...common}
      visible={shown}
      onVisibilityChange={setShown}
      visibilityToggleFocusable
      {...(remove !== undefined && { rightSection: remove })}
      visibilityToggleButtonProps={{ "aria-label": reveal }}
      onPaste={onPaste}
      onChange={({ currentTarget }) => take(currentTarget.value)}
    />
  );
}

function Kept({ said }: { said: ReactNode }) {
  const { t } = useTranslation();
  return (
    <>
      {said} {t("form.kept_secret")}
    </>
  );
}
