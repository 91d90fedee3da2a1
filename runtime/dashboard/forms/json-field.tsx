import { Textarea } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useUnreadable } from "./unreadable-fields";

/** Updates the value whenever the text is valid; until then it is an unreadable field of the form. */
export function JsonField(props: FieldProps) {
  const { formData, schema, uiSchema, name, fieldPathId, readonly, required, onChange } = props;
  const { t } = useTranslation();
  const { unreadable, tell } = useUnreadable(fieldPathId.path);
  const written = formData === undefined ? "" : JSON.stringify(formData, null, 2);
  const [text, setText] = useState(written);
  const example = uiSchema?.["ui:placeholder"] as string | undefined;
  function typed(next: string) {
    setText(next);
    try {
      const value: unknown = next.trim() === "" ? undefined : JSON.parse(next);
      tell(undefined);
      onChange(value, fieldPathId.path);
    } catch (error) {
      const reason = t("editor.not_json", { reason: error instanceof Error ? error.message : "" });
      tell({
        text: next,
        reason: example === undefined ? reason : t("form.for_example", { reason, example }),
      });
    }
  }
  return (
    <Textarea
      id={fieldPathId.$id}
      label={name}
      description={schema.description}
      placeholder={example}
      required={required}
      value={unreadable?.text ?? (sameJson(text, written) ? text : written)}
      onChange={(event) => typed(event.currentTarget.value)}
      error={unreadable?.reason}
      readOnly={readonly}
      rows={2}
      classNames={{ input: "code grows" }}
    />
  );
}

function sameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return a.trim() === b.trim();
  }
}
