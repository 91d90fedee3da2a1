import { Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { RequiredMark } from "./required-mark";

export interface FoldProps {
  title: string;
  description?: string | undefined;
  /** It stands open from the start. */
  open?: boolean;
  required?: boolean;
  /** The way to the field that is asked for leads in here. */
  lead?: boolean;
  children: ReactNode;
}

/** Fields that few people set: made when they are first looked at, since making those of a route takes longer than all others do. */
export function Fold({
  title,
  description,
  open = false,
  required = false,
  lead = false,
  children,
}: FoldProps) {
  const [opened, setOpened] = useState(open);
  // The way to a field in it opens it.
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
