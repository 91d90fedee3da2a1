import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Kind, listQuery } from "../api/resources";
import { type Bringers, bringersOf } from "./resource-rows";

/** Values that routes and services inherit, for searches; other kinds fetch nothing. */
export function useBringers(...kinds: readonly Kind[]): Bringers {
  const hasRoutes = kinds.includes("routes");
  const enabled = hasRoutes || kinds.includes("services");
  const { data: configs } = useQuery({ ...listQuery("plugin_configs"), enabled });
  const { data: services } = useQuery({ ...listQuery("services"), enabled: hasRoutes });
  return useMemo(() => bringersOf(configs ?? [], services ?? []), [configs, services]);
}
