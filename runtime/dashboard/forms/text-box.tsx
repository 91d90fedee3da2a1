import { ActionIcon, CloseButton, PasswordInput, Textarea, TextInput } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { type ClipboardEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

export interface TextBoxProps extends Omit<SecretBoxProps, "error" | "isArea" | "areaRef" | "onPaste"> {
  /** The text has many lines, as a body or a certificate: Enter starts a new one. */
  isLong?: boolean;
  isSecret?: boolean;
  isCode?: boolean;
}

/** Reports whether a text mixes line breaks, which a text area would unify. */
const isMixed = (text: string): boolean =>
  /\r(?!\n)/.test(text) || (text.includes("\r\n") && /(?:^|[^\r])\n/.test(text));

/**
 * Input for any text. A text with line breaks gets a text area, since an input would drop them, also on
 * paste. Afterwards it stays a text area, so that the cursor stays.
 */
export function TextBox({ isLong = false, isSecret = false, isCode = false, ...props }: TextBoxProps) {
  const { t } = useTranslation();
  const { value, readOnly = false, onChange, ...rest } = props;
  const [grown, setGrown] = useState(false);
  const cursor = useRef<number>(undefined);
  const isArea = isLong || grown || value.includes("\n");
  if (isArea && !grown) setGrown(true);
  const take = (text: string) => onChange(value.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text);
  const mixed = isMixed(value);
  const common = {
    ...rest,
    value,
    readOnly: readOnly || mixed,
    ...(mixed && { error: t("form.mixed_lines") }),
    onPaste: (event: ClipboardEvent<HTMLInputElement>) => {
      const pasted = pastedLines(event);
      if (pasted === undefined) return;
      cursor.current = pasted.cursor;
      onChange(pasted.text);
    },
  };
  /** Restores the cursor of the input that the area replaces. */
  function areaRef(area: HTMLTextAreaElement | null) {
    if (area === null || cursor.current === undefined) return;
    area.focus();
    area.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  }
  if (isSecret) return <SecretBox {...common} {...{ isArea, areaRef }} onChange={take} />;
  const className = isCode ? "code" : "";
  if (!isArea)
    return (
      <TextInput
        {...common}
        classNames={{ input: className }}
        {...(isCode && { spellCheck: false, autoComplete: "off" })}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  const { onPaste: _, ...area } = common;
  return (
    <Textarea
      {...area}
      ref={areaRef}
      rows={1}
      spellCheck={!isCode}
      classNames={{ input: `${className} grows` }}
      onChange={({ currentTarget }) => take(currentTarget.value)}
    />
  );
}

/** Value of an input after a paste with line breaks, which it would drop; undefined without line breaks. */
function pastedLines(event: ClipboardEvent<HTMLInputElement>): { text: string; cursor: number } | undefined {
  const { value, selectionStart, selectionEnd, readOnly, tagName } = event.currentTarget;
  const text = event.clipboardData.getData("text").replaceAll("\r\n", "\n");
  // A single line that was copied with its line break.
  if (readOnly || tagName !== "INPUT" || !text.trimEnd().includes("\n")) return undefined;
  event.preventDefault();
  const before = value.slice(0, selectionStart ?? 0) + text;
  return { text: before + value.slice(selectionEnd ?? value.length), cursor: before.length };
}

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

interface SecretBoxProps {
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
function SecretBox(props: SecretBoxProps) {
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
