import { Text } from "@mantine/core";

/** Mark of a required field, as in Mantine's own fields. */
export const RequiredMark = () => (
  <Text span c="var(--mantine-color-error)" aria-hidden>
    {" *"}
  </Text>
);
