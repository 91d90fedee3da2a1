import { Autocomplete } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callAdmin } from "../api/client";
import { idOf, KINDS, type Kind, type Listed, listQuery, type Resource } from "../api/resources";
import { useClosedList } from "./closed-list";
import { inputProps, textIn } from "./input-props";

const isKind = (path: string): path is Kind => KINDS.some((kind) => kind === path);

/** Maximum number of ids in the list; typing narrows it. */
const OFFERED = 50;

const named = (list: readonly Resource[]) => list.map(idOf);

/** The id of a resource: selected, or typed, since the resource may be created later. */
export function ReferenceWidget(props: WidgetProps) {
  const { value, options, onChange } = props;
  const path = String(options["refers"]);
  const closedList = useClosedList();
  const [asked, setAsked] = useState(false);
  const { data = [] } = useQuery(
    isKind(path)
      ? { ...listQuery(path), enabled: asked, select: named }
      : {
          queryKey: ["referred", path],
          queryFn: async ({ signal }: { signal: AbortSignal }) =>
            (await callAdmin<Listed>(path, { signal })).body.list,
          enabled: asked,
          select: named,
        },
  );
  return (
    <Autocomplete
      {...inputProps(props)}
      value={textIn(value)}
      comboboxProps={closedList}
      data={data}
      limit={OFFERED}
      onFocus={() => setAsked(true)}
      onChange={(next) => onChange(next === "" ? undefined : next)}
    />
  );
}
