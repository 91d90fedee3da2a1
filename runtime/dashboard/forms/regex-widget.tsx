import { Anchor, Stack } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { TextBox } from "./text-box";

/** A regular expression, with a way to try it on a text in a window of its own: what is typed here stays. */
export function RegexWidget({ id, value = "", label, schema, placeholder, ...props }: WidgetProps) {
  const { required, readonly, onChange } = props;
  const { t } = useTranslation();
  const pattern = String(value);
  return (
    <Stack gap={4}>
      <TextBox
        id={id}
        label={label}
        description={schema.description}
        placeholder={placeholder}
        required={required === true}
        readOnly={readonly === true}
        value={pattern}
        isCode
        onChange={(next) => onChange(next === "" ? undefined : next)}
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
