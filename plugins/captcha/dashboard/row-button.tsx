import { Button } from "@mantine/core";

interface RowButtonProps {
  word: string;
  /** Contains the name of its row, for screen readers. */
  label: string;
  /** Reason why it is disabled. */
  why: string | undefined;
  onClick(): void;
}

export const RowButton = ({ word, label, why, onClick }: RowButtonProps) => (
  <Button
    size="xs"
    variant="default"
    disabled={why !== undefined}
    title={why}
    aria-label={label}
    onClick={onClick}
  >
    {word}
  </Button>
);
