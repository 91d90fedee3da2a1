import { ActionIcon, CloseButton, Group, Paper, Portal, Skeleton, Title } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { IconBook } from "@tabler/icons-react";
import { Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../api/fetched-code";
import { CopyTextButton } from "../pages/elements";

const PluginDocumentation = lazyPart(
  async () => (await import("./plugin-documentation")).PluginDocumentation,
);

export interface DocumentationDrawerProps {
  /** Name of the plugin; undefined if closed. */
  name: string | undefined;
  /** "left" if settings are open on the right. */
  side: "left" | "right";
  onOpen(name: string): void;
  onClose(): void;
}

/** Traps neither focus nor scrolling, unlike Mantine's drawers. Escape closes it before anything below. */
export function DocumentationDrawer(props: DocumentationDrawerProps) {
  if (props.name === undefined) return null;
  return (
    <Portal>
      <Opened {...props} name={props.name} />
    </Portal>
  );
}

function Opened({ name, side, onOpen, onClose }: DocumentationDrawerProps & { name: string }) {
  const { t } = useTranslation();
  const title = useRef<HTMLHeadingElement>(null);
  const before = useRef(document.activeElement);
  useEffect(() => {
    // Documentation of another plugin starts at its title.
    if (name !== "") title.current?.focus();
  }, [name]);
  function close() {
    onClose();
    if (before.current instanceof HTMLElement) before.current.focus();
  }
  useWindowEvent("keydown", ({ key, isComposing }) => {
    if (key === "Escape" && !isComposing) close();
  });
  return (
    <Paper
      component="aside"
      className="documentation-drawer"
      data-side={side}
      aria-label={t("documentation.of", { name })}
    >
      <Group justify="space-between" wrap="nowrap" className="documentation-head">
        <Title order={2} ref={title} tabIndex={-1}>
          {name}
        </Title>
        <Group gap="sm" wrap="nowrap">
          <CopyTextButton
            size="compact-sm"
            variant="subtle"
            value={`${location.origin}/gw/ui/plugins?documentation=${name}`}
            label={t("documentation.copy")}
          />
          <CloseButton onClick={close} aria-label={t("documentation.close")} />
        </Group>
      </Group>
      <Suspense fallback={<Skeleton h={240} aria-busy />}>
        <PluginDocumentation name={name} onOpen={onOpen} />
      </Suspense>
    </Paper>
  );
}

export function DocumentationButton({ name, onOpen }: { name: string; onOpen: (name: string) => void }) {
  const { t } = useTranslation();
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      onClick={() => onOpen(name)}
      aria-label={t("documentation.of", { name })}
    >
      <IconBook size={16} aria-hidden />
    </ActionIcon>
  );
}
