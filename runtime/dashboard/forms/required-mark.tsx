import { Text } from "@mantine/core";

/** As the kit marks its own fields. */
export const RequiredMark = () => (
  <Text span c="var(--mantine-color-error)" aria-hidden>
    {" *"}
  </Text>
);
