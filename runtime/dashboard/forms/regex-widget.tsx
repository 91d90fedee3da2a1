import { Anchor, Stack, TextInput } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

/** A regular expression, with a way to try it on a text in a window of its own: what is typed here stays. */
export function RegexWidget({ id, value = "", label, schema, required, readonly, onChange }: WidgetProps) {
  const { t } = useTranslation();
  const pattern = String(value);
  return (
    <Stack gap={4}>
      <TextInput
        id={id}
        label={label}
        description={schema.description}
        required={required === true}
        readOnly={readonly}
        value={pattern}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: "code" }}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? undefined : currentTarget.value)
        }
      />
      <Anchor
        size="xs"
        w="fit-content"
        renderRoot={(props) => (
          <Link to="/sandbox" search={pattern === "" ? {} : { pattern }} target="_blank" {...props} />
        )}
      >
        {t("form.try_it")}
      </Anchor>
    </Stack>
  );
}
