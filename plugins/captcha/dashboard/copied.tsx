import { Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

export function Copied({ title, text }: { title: string; text: string }) {
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Copy text={text} what={title} />
      </Group>
      <Code block className="whole">
        {text}
      </Code>
    </Stack>
  );
}

/** @param what label for screen readers @param size sm: as high as an adjacent field */
export function Copy({
  text,
  what,
  size = "compact-sm",
}: {
  text: string;
  what: string;
  size?: "sm" | "compact-sm";
}) {
  const { t } = useTranslation();
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          size={size}
          variant="default"
          onClick={copy}
          aria-label={t(copied ? "captcha.copied_of" : "captcha.copy_of", { what })}
          leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
        >
          {t(copied ? "action.copied" : "captcha.copy")}
        </Button>
      )}
    </CopyButton>
  );
}
