import { Textarea, TextInput } from "@mantine/core";
import { type ClipboardEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { SecretBox, type SecretBoxProps } from "./secret-box";

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
