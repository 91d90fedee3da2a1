import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { RequiredMark } from "./required-mark";

export interface FoldProps {
  title: string;
  description?: string | undefined;
  open?: boolean;
  required?: boolean;
  /** The goal is inside. */
  lead?: boolean;
  children: ReactNode;
}

/** Renders when first opened: rarely set fields of a route take longer than all others together. */
export function Fold({
  title,
  description,
  open = false,
  required = false,
  lead = false,
  children,
}: FoldProps) {
  const [opened, setOpened] = useState(open);
  if (lead && !opened) setOpened(true);
  const isOpen = open || opened;
  return (
    <details
      className="fold"
      open={isOpen || undefined}
      onToggle={({ currentTarget, target }) => {
        if (target === currentTarget) setOpened(currentTarget.open);
      }}
    >
      <summary>
        <Text span fw={600} size="sm">
          {title}
          {required ? <RequiredMark /> : null}
        </Text>
        {description ? (
          <Text span size="xs" c="dimmed" ml="sm">
            {description}
          </Text>
        ) : null}
      </summary>
      {isOpen ? <div className="folded">{children}</div> : null}
    </details>
  );
}
