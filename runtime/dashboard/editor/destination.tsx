import { Radio, Stack } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Kind, Value } from "../api/resources";
import { withField } from "./draft";

type Destination = "nodes" | "upstream" | "service";

const CHOICES: Partial<Readonly<Record<Kind, readonly Destination[]>>> = {
  routes: ["nodes", "upstream", "service"],
  services: ["nodes", "upstream"],
};
const FIELD = { nodes: "upstream", upstream: "upstream_id", service: "service_id" } as const;

const destinationOf = (value: Value): Destination | undefined =>
  (["nodes", "upstream", "service"] as const).find((each) => value[FIELD[each]] !== undefined);

export interface ChosenDestination {
  /** Undefined if the kind has no destination. */
  choices: readonly Destination[] | undefined;
  chosen: Destination | undefined;
  /** Fields without use for this destination. A service stays, because it also provides plugins and hosts. */
  unused: readonly string[];
  choose(destination: Destination): void;
}

/** Removes the fields of other destinations; those with a value stay visible. */
export function useDestination(
  kind: Kind,
  value: Value,
  onChange: (value: Value) => void,
): ChosenDestination {
  const [picked, setPicked] = useState<Destination>();
  const choices = CHOICES[kind];
  const said = destinationOf(value);
  // A picked destination has no value yet; it may have removed the other's.
  const chosen = picked !== undefined && (said === undefined || said === "service") ? picked : said;
  const unused =
    choices === undefined
      ? []
      : (["nodes", "upstream"] as const)
          .filter((each) => each !== chosen && value[FIELD[each]] === undefined)
          .map((each) => FIELD[each]);
  function choose(destination: Destination) {
    setPicked(destination);
    const others = (["nodes", "upstream"] as const).filter((each) => each !== destination);
    onChange(others.reduce((rest, each) => withField(rest, FIELD[each], undefined), value));
  }
  return { choices, chosen, unused, choose };
}

export function DestinationChoice({
  destination: { choices = [], chosen, choose },
  readOnly,
}: {
  destination: ChosenDestination;
  readOnly: boolean;
}) {
  const { t } = useTranslation();
  return (
    <Radio.Group
      label={t("destination.label")}
      description={t("destination.description")}
      value={chosen ?? ""}
      onChange={(next) => (readOnly ? undefined : choose(next as Destination))}
    >
      <Stack gap="sm" mt="sm">
        {choices.map((each) => (
          <Radio
            key={each}
            value={each}
            aria-disabled={readOnly || undefined}
            label={t(`destination.${each}`)}
            description={t(`destination.${each}_says`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
